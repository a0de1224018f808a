import { addSpend } from '../../../src/journal/run-fold.ts'
import type { EffectKind, IntactEntry, Spend } from '../../../src/journal/index.ts'

export type RowStatus = 'running' | 'ok' | 'failed' | 'denied' | 'cancelled' | 'waits' | 'doubt' | 'unknown'

/** A row of the timeline: an effect, or a group of effects of a run. */
export interface Row {
  readonly key: string
  readonly depth: number
  /** The entry that is selected with the row. */
  readonly seq: number
  readonly parent: Row | undefined
  /** Index among the children of its parent. */
  readonly place: number
  readonly children: Row[]
  /** The kind of an effect; undefined for a group. */
  kind?: EffectKind | undefined
  name: string
  startedAt: number
  endedAt?: number | undefined
  lastSeq: number
  status: RowStatus
  attempts: number
  spent: Spend
  rule?: string | undefined
  verdict?: string | undefined
  /** The last entry with a decision of the gate about it. */
  decidedSeq?: number
  /** Whether its input carries taint labels. */
  isLabelled: boolean
  /** Its input, complete or as a preview. */
  input?: unknown
  /** Its output. */
  output?: unknown
  /** The error message. */
  error?: string | undefined
}

/** The effects of a run as a tree by their keys (`turn:2/tool:1`), updated with each new entry. It shows only what the entries contain. */
export class TimelineRows {
  readonly roots: Row[] = []
  readonly #byKey = new Map<string, Row>()
  readonly #stale = new Set<Row>()
  readonly #bySeq = new Map<number, Row>()
  readonly #problems = new Set<Row>()

  get(key: string): Row | undefined {
    return this.#byKey.get(key)
  }

  /** Returns all rows in the order in which they began. */
  all(): readonly Row[] {
    return [...this.#byKey.values()]
  }

  /** The effects that did not succeed. */
  get problems(): ReadonlySet<Row> {
    return this.#problems
  }

  /** Returns the row of an entry. */
  atSeq(seq: number): Row | undefined {
    return this.#bySeq.get(seq)
  }

  apply(entry: IntactEntry): void {
    if (entry.key === undefined || entry.type === 'message-append' || entry.type === 'note') return
    const row = this.#row(entry.key, entry)
    this.#bySeq.set(entry.seq, row)
    row.lastSeq = entry.seq
    switch (entry.type) {
      case 'effect-decide':
      case 'effect-start':
        row.kind = entry.data.kind
        row.name = entry.data.name
        row.rule = entry.data.decision.rule
        row.verdict = entry.data.decision.verdict
        row.decidedSeq = entry.seq
        row.isLabelled = entry.data.labels !== undefined
        row.input = entry.data.input
        if (entry.type === 'effect-start') {
          row.status = 'running'
          row.endedAt = undefined
          row.error = undefined
        } else if (row.verdict === 'deny' || row.verdict === 'kill') row.status = 'denied'
        break
      case 'effect-end':
        row.endedAt = entry.at
        row.status = entry.data.outcome.status
        row.spent = addSpend(row.spent, entry.data.spent)
        if (entry.data.outcome.status === 'denied') row.rule = entry.data.outcome.rule
        if (entry.data.outcome.status === 'ok') row.output = entry.data.outcome.value
        if (entry.data.outcome.status === 'failed') row.error = entry.data.outcome.error.message
        break
      case 'effect-retry':
        row.attempts += 1
        row.spent = addSpend(row.spent, entry.data.spent ?? {})
        break
      case 'approval-request':
        row.kind = entry.data.kind
        row.name = entry.data.name
        row.rule = entry.data.rule
        row.verdict = 'ask'
        row.input = entry.data.input
        row.isLabelled = entry.data.labels !== undefined
        row.status = entry.data.reason === 'in-doubt' ? 'doubt' : 'waits'
        break
      default:
    }
    if (isProblem(row)) this.#problems.add(row)
    else this.#problems.delete(row)
    for (let group = row.parent; group !== undefined; group = group.parent) {
      group.lastSeq = entry.seq
      this.#stale.add(group)
    }
  }

  /** Updates groups from their members, once per batch of entries, because groups may have thousands of members. */
  settle(): void {
    for (const group of [...this.#stale].toSorted((a, b) => b.depth - a.depth)) refresh(group)
    this.#stale.clear()
  }

  #row(key: string, { seq, at }: IntactEntry): Row {
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    const cut = key.lastIndexOf('/')
    const parent = cut < 0 ? undefined : this.#row(key.slice(0, cut), { seq, at } as IntactEntry)
    const row: Row = {
      key,
      depth: parent === undefined ? 0 : parent.depth + 1,
      seq,
      parent,
      place: (parent?.children ?? this.roots).length,
      children: [],
      name: key.slice(cut + 1).replace(':', ' '),
      startedAt: at,
      lastSeq: seq,
      status: 'running',
      attempts: 1,
      spent: {},
      isLabelled: false,
    }
    this.#byKey.set(key, row)
    ;(parent?.children ?? this.roots).push(row)
    return row
  }
}

const PROBLEMS: ReadonlySet<string> = new Set(['failed', 'denied', 'doubt', 'unknown'])

export function isProblem({ kind, status }: Row): boolean {
  return kind !== undefined && PROBLEMS.has(status)
}

const WORST_FIRST: readonly RowStatus[] = [
  'doubt',
  'waits',
  'running',
  'failed',
  'denied',
  'cancelled',
  'unknown',
  'ok',
]

/** Returns the worst status of several rows; undefined if there are none. */
export function worstStatus(rows: readonly Row[]): RowStatus | undefined {
  return WORST_FIRST.find((status) => rows.some((row) => row.status === status))
}

/** Updates a group from its members; its status is their worst status. */
function refresh(group: Row): void {
  if (group.kind !== undefined) return
  group.status = worstStatus(group.children) ?? 'ok'
  group.endedAt = group.children.reduce<number | undefined>(
    (latest, { endedAt }) => (latest === undefined || endedAt === undefined ? undefined : Math.max(latest, endedAt)),
    0,
  )
  group.spent = group.children.reduce<Spend>((sum, child) => addSpend(sum, child.spent), {})
}
