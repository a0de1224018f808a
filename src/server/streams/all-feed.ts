import { afterTurn } from '../../core/index.ts'
import type { BusEvent, Clock, Json, JsonObject } from '../../core/index.ts'
import { approvalId } from '../../gate/index.ts'
import { isErased } from '../../journal/index.ts'
import type { Entry, Journal } from '../../journal/index.ts'

/** A short event for an entry of any run. */
export type RunNote = BusEvent<string, Json> & { readonly seq: number }

const ITEMS_MAX = 4_096
const RUNS_MAX = 10_000

/** Short events for the entries of all runs as they are stored, shared by all clients. It reads nothing while there are no clients. */
export class AllFeed {
  readonly #journal: Journal
  readonly #clock: Clock
  readonly #changed = new Set<() => void>()
  readonly #dirty = new Set<string>()
  /** The last entry that was read of each run; the oldest are evicted. */
  readonly #heads = new Map<string, { readonly seq: number; readonly sessionId: string; readonly agentId: string }>()
  #items: RunNote[] = []
  #dropped = 0
  #since = 0
  #isReading = false
  #isTelling = false
  #stopWatching: (() => void) | undefined

  constructor(journal: Journal, clock: Clock) {
    this.#journal = journal
    this.#clock = clock
  }

  get end(): number {
    return this.#dropped + this.#items.length
  }

  now(): number {
    return this.#clock.now()
  }

  at(index: number): RunNote | undefined | null {
    return index < this.#dropped ? null : this.#items[index - this.#dropped]
  }

  onChange(changed: () => void): () => void {
    this.#changed.add(changed)
    this.#start()
    return () => {
      this.#changed.delete(changed)
      if (this.#changed.size === 0) this.stop()
    }
  }

  stop(): void {
    this.#stopWatching?.()
    this.#stopWatching = undefined
    this.#heads.clear()
    this.#dirty.clear()
  }

  #start(): void {
    if (this.#stopWatching !== undefined) return
    this.#since = this.#clock.now()
    this.#stopWatching = this.#journal.watch('*', ({ run, kind }) => {
      if (kind !== 'entry') return
      this.#dirty.add(run)
      void this.#read()
    })
  }

  async #read(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      for (const run of this.#dirty) {
        this.#dirty.delete(run)
        // A run that cannot be read is reported by its own stream; the other runs are still read.
        await this.#readRun(run).catch(() => {})
      }
    } finally {
      this.#isReading = false
    }
  }

  async #readRun(run: string): Promise<void> {
    let head = this.#heads.get(run)
    if (head === undefined) {
      const summary = await this.#journal.summary(run)
      if (summary === undefined) return
      head = { seq: 0, sessionId: summary.sessionId, agentId: summary.name }
    }
    for await (const entry of this.#journal.read(run, head.seq + 1)) {
      head = { ...head, seq: entry.seq }
      // For a run that is seen for the first time, entries from before the feed was started are not sent.
      if (entry.at >= this.#since) this.#push(noteOf(entry, head))
    }
    this.#heads.delete(run)
    this.#heads.set(run, head)
    if (this.#heads.size > RUNS_MAX) this.#heads.delete(this.#heads.keys().next().value!)
  }

  #push(note: RunNote): void {
    this.#items.push(note)
    if (this.#items.length > ITEMS_MAX) {
      this.#dropped += ITEMS_MAX / 2
      this.#items = this.#items.slice(ITEMS_MAX / 2)
    }
    if (this.#isTelling) return
    this.#isTelling = true
    afterTurn(() => {
      this.#isTelling = false
      for (const changed of this.#changed) changed()
    })
  }
}

/** Converts an entry to a short event without the content of users, models and tools, which only the stream of the run contains. */
export function noteOf(entry: Entry, of: { readonly sessionId: string; readonly agentId: string }): RunNote {
  const { run: runId, seq, at, type, key } = entry
  const { sessionId, agentId } = of
  return { v: 1, type, at, runId, sessionId, agentId, seq, key, data: isErased(entry) ? null : shortData(entry) }
}

function shortData(entry: Exclude<Entry, { readonly data: null }>): JsonObject {
  switch (entry.type) {
    case 'run-start':
      return plain({ mind: entry.data.mind, name: entry.data.name, parent: entry.data.parent?.run })
    case 'run-suspend':
      return plain({ reason: entry.data.reason, wakeAt: entry.data.wakeAt })
    case 'run-end':
      return plain({ state: entry.data.state, code: entry.data.error?.code })
    case 'effect-decide':
    case 'effect-start':
      return { kind: entry.data.kind, name: entry.data.name, verdict: entry.data.decision.verdict }
    case 'effect-end':
      return { status: entry.data.outcome.status, durationMs: entry.data.durationMs }
    case 'approval-request':
      return {
        reason: entry.data.reason,
        kind: entry.data.kind,
        name: entry.data.name,
        approvalId: approvalId(entry.run, entry.seq),
      }
    case 'approval-response':
      return { answer: entry.data.answer, by: entry.data.by.id }
    default:
      return {}
  }
}

function plain(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject
}
