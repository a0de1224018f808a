import type { RunStore } from '../../journal/run-store.ts'
import { isProblem } from '../../journal/timeline-rows.ts'
import type { Row, RowStatus } from '../../journal/timeline-rows.ts'

/** A line of the timeline as it stands: a row of the run, or of a run that one of its calls started. */
export interface Line {
  readonly id: string
  readonly run: RunStore
  readonly row: Row
  /** The groups above the row that have nothing else in them: they share its line, outermost first. */
  readonly chain: readonly Row[]
  readonly depth: number
  /** Undefined where there is nothing to open. */
  readonly isOpen: boolean | undefined
}

/** Which groups were closed and which runs of calls were opened, by the ids of their lines. */
export interface Folding {
  readonly closed: ReadonlySet<string>
  readonly opened: ReadonlySet<string>
}

const RUN_KINDS: ReadonlySet<string> = new Set(['agent', 'program', 'cell', 'graph'])

/** Whether the row is a call that has a run of its own. */
export function hasRun({ kind, verdict }: Row): boolean {
  return kind !== undefined && RUN_KINDS.has(kind) && verdict !== 'deny' && verdict !== 'kill'
}

export function lineId(run: RunStore, row: Row): string {
  return `${run.runId} ${row.key}`
}

/** All lines that are to be seen. Runs of calls are loaded when they are opened. */
export function linesOf(run: RunStore, folding: Folding, base = 0): Line[] {
  const lines: Line[] = []
  const walk = (rows: readonly Row[], depth: number): void => {
    for (const { row, chain } of rows.map(chained)) {
      const id = lineId(run, row)
      const isGroup = row.children.length > 0
      const isNested = !isGroup && hasRun(row)
      const isOpen = isGroup ? !folding.closed.has(id) : isNested ? folding.opened.has(id) : undefined
      lines.push({ id, run, row, chain, depth, isOpen })
      if (isOpen !== true) continue
      if (isGroup) walk(row.children, depth + 1)
      else lines.push(...linesOf(run.child(row.key), folding, depth + 1))
    }
  }
  walk(run.rows.roots, base)
  return lines
}

/** A row with the groups above it that it is alone in, from the given one on. A group with one effect stays a group; two groups around one thing are one line. */
function chained(top: Row): Pick<Line, 'row' | 'chain'> {
  const chain: Row[] = []
  let row = top
  while (isGroupOfOne(row) && (isGroupOfOne(row.children[0]!) || chain.length > 0)) {
    chain.push(row)
    row = row.children[0]!
  }
  return { row, chain }
}

function isGroupOfOne({ kind, children }: Row): boolean {
  return kind === undefined && children.length === 1
}

/** Everything open, or only the lines above a level. */
export function foldingAt(run: RunStore, level: number): Folding {
  const closed = new Set<string>()
  const opened = new Set<string>()
  const walk = (store: RunStore, rows: readonly Row[], depth: number): void => {
    for (const { row } of rows.map(chained)) {
      const id = lineId(store, row)
      const isAbove = depth < level
      if (row.children.length > 0) {
        if (!isAbove) closed.add(id)
        walk(store, row.children, depth + 1)
      } else if (hasRun(row) && isAbove) {
        opened.add(id)
        const child = store.child(row.key)
        walk(child, child.rows.roots, depth + 1)
      }
    }
  }
  walk(run, run.rows.roots, 0)
  return { closed, opened }
}

/** How a line stands. What has not ended in a run that is suspended waits with it; where the run is over, nobody knows how it came out. */
export function statusOf({ row, run }: Pick<Line, 'row' | 'run'>): RowStatus {
  if (row.status !== 'running' || run.state === 'running') return row.status
  return run.state === 'suspended' ? 'waits' : 'unknown'
}

export function matching(lines: readonly Line[], filter: string): readonly Line[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return lines
  return lines.filter(({ row }) =>
    words.every((word) =>
      word === 'error'
        ? isProblem(row)
        : `${row.kind}:${row.name} ${row.key} ${row.status}`.toLowerCase().includes(word),
    ),
  )
}
