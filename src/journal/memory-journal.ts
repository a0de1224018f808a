import { MandateError, checkId } from '../core/index.ts'
import { planAppend } from './append-plan.ts'
import { Counter } from './counter.ts'
import { GENESIS } from './entry.ts'
import type { Entry } from './entry.ts'
import type { AcquireOptions, Change, Journal, Lease, ReadOptions, RunFilter, Signal } from './journal.ts'
import { STORED, declareCounters, declareInstant } from './instant.ts'
import { headBefore, readVerified } from './reading.ts'
import { StoredEntries } from './stored-entries.ts'
import { isEnded } from './summary.ts'
import type { RunSummary } from './summary.ts'

interface Row {
  readonly run: string
  readonly entries: StoredEntries
  summary: RunSummary | undefined
  epoch: number
  owner: string | undefined
  until: number
  /** Made when the first one comes: most runs never get any. */
  inbox: { readonly signals: Map<string, Signal>; readonly consumed: Set<string> } | undefined
}

/**
 * A journal in memory: the whole contract, gone with the process. For tests, and for runs that nobody needs to find again.
 *
 * @example
 * ```ts
 * import { memoryJournal } from 'mandate/journal'
 * const journal = memoryJournal()
 * await journal.list() // []
 * ```
 */
export function memoryJournal(): Journal {
  return new MemoryJournal()
}

class MemoryJournal implements Journal {
  readonly #rows = new Map<string, Row>()
  readonly #watchers = new Map<string, Set<(change: Change) => void>>()
  readonly #counters = new Map<string, Counter>()

  constructor() {
    declareCounters(this, {
      sum: (name, since) => this.#counters.get(name)?.sum(since) ?? 0,
      add: (name, at, amount) => this.#count(name, at, amount),
    })
  }

  async acquire({ run, owner, ttlMs, now }: AcquireOptions): Promise<Lease> {
    const row = this.#row(checkId(run, 'The run id'))
    if (row.owner !== undefined && row.owner !== owner && row.until > now) {
      throw new MandateError(
        'LEASE_HELD',
        `Run "${run}" is being run by "${row.owner}". Wait for it, or signal it instead.`,
      )
    }
    row.epoch += 1
    row.owner = owner
    row.until = now + ttlMs
    return { run, epoch: row.epoch, head: row.summary?.head ?? GENESIS }
  }

  async renew(lease: Lease, until: number): Promise<void> {
    this.#held(lease).until = until
  }

  async release(lease: Lease): Promise<void> {
    const row = this.#rows.get(lease.run)
    if (row?.epoch === lease.epoch) row.owner = undefined
  }

  append(lease: Lease, expectedSeq: number, entries: readonly Entry[], consume: readonly string[] = []): Promise<void> {
    try {
      this.#store(this.#held(lease), expectedSeq, entries)
    } catch (error) {
      return Promise.reject(error)
    }
    const { inbox } = this.#rows.get(lease.run)!
    for (const id of consume) if (inbox?.signals.delete(id) === true) inbox.consumed.add(id)
    this.#tell(lease.run, 'entry')
    return STORED
  }

  #store(row: Row, expectedSeq: number, entries: readonly Entry[]): void {
    const { run, summary } = row
    const plan = planAppend({ run, summary, hashAt: (seq) => row.entries.hashAt(seq) }, expectedSeq, entries)
    for (const entry of plan.fresh) row.entries.push(entry)
    row.summary = plan.summary
  }

  async *read(run: string, fromSeq = 1, { ownMemory = false }: ReadOptions = {}): AsyncGenerator<Entry> {
    const row = this.#rows.get(run)
    if (row === undefined) return
    const entries = row.entries.restored(run, fromSeq)
    if (ownMemory) return yield* entries
    const before = headBefore(fromSeq, (seq) => row.entries.headAt(seq))
    yield* readVerified(run, before, entries)
  }

  async summary(run: string): Promise<RunSummary | undefined> {
    return this.#rows.get(run)?.summary
  }

  async list(filter: RunFilter = {}): Promise<readonly RunSummary[]> {
    const all = [...this.#rows.values()].flatMap((row) => (row.summary === undefined ? [] : [row.summary]))
    return all
      .filter((summary) => matches(summary, filter))
      .sort((a, b) => b.createdAt - a.createdAt || (a.run < b.run ? 1 : -1))
      .slice(0, filter.limit ?? 1000)
  }

  async signal(run: string, signal: Signal): Promise<boolean> {
    const row = this.#rows.get(run)
    if (row?.summary === undefined) throw new MandateError('NOT_FOUND', `There is no run "${run}" to signal.`)
    const { signals, consumed } = (row.inbox ??= { signals: new Map(), consumed: new Set() })
    if (signals.has(signal.id) || consumed.has(signal.id)) return false
    signals.set(signal.id, signal)
    this.#tell(run, 'signal')
    return true
  }

  async signals(run: string): Promise<readonly Signal[]> {
    return [...(this.#rows.get(run)?.inbox?.signals.values() ?? [])]
  }

  watch(run: string, listener: (change: Change) => void): () => void {
    const set = this.#watchers.get(run) ?? new Set()
    this.#watchers.set(run, set.add(listener))
    return () => {
      set.delete(listener)
      if (set.size === 0 && this.#watchers.get(run) === set) this.#watchers.delete(run)
    }
  }

  async addCount(name: string, at: number, amount: number): Promise<void> {
    this.#count(name, at, amount)
  }

  #count(name: string, at: number, amount: number): void {
    let counter = this.#counters.get(name)
    if (counter === undefined) this.#counters.set(name, (counter = new Counter()))
    counter.add(at, amount)
  }

  async sumCount(name: string, since: number): Promise<number> {
    return this.#counters.get(name)?.sum(since) ?? 0
  }

  async erase(run: string): Promise<number> {
    const row = this.#rows.get(run)
    if (row?.summary === undefined) throw new MandateError('NOT_FOUND', `There is no run "${run}" to erase.`)
    if (!isEnded(row.summary.state)) throw notEnded(run, row.summary.state)
    row.entries.erase()
    row.summary = { ...row.summary, erased: true }
    for (const id of row.inbox?.signals.keys() ?? []) row.inbox!.consumed.add(id)
    row.inbox?.signals.clear()
    return row.entries.length
  }

  async close(): Promise<void> {
    this.#watchers.clear()
  }

  #row(run: string): Row {
    const row = this.#rows.get(run) ?? {
      run,
      entries: new StoredEntries(),
      summary: undefined,
      epoch: 0,
      owner: undefined,
      until: 0,
      inbox: undefined,
    }
    this.#rows.set(run, row)
    return row
  }

  #held(lease: Lease): Row {
    const row = this.#rows.get(lease.run)
    if (row?.epoch === lease.epoch && row.owner !== undefined) return row
    throw leaseLost(lease.run)
  }

  #tell(run: string, kind: Change['kind']): void {
    const own = this.#watchers.get(run)
    const all = this.#watchers.get('*')
    if (own === undefined && all === undefined) return
    const change: Change = { run, kind }
    for (const listener of own ?? []) tellSafely(listener, change)
    for (const listener of all ?? []) tellSafely(listener, change)
  }
}

declareInstant(MemoryJournal.prototype)

/** Tells a watcher of a change; one that throws must not make a stored entry look like a failed one. */
export function tellSafely(listener: (change: Change) => void, change: Change): void {
  try {
    listener(change)
  } catch {
    // What a watcher does with the news is its own affair.
  }
}

/** The refusal every store gives to a writer whose epoch has passed. */
export function leaseLost(run: string): MandateError {
  return new MandateError('LEASE_LOST', `Run "${run}" was taken over by another owner; this one must stop writing it.`)
}

/** The refusal every store gives to erasing a run that could still go on. */
export function notEnded(run: string, state: string): MandateError {
  return new MandateError('RUN_STATE', `Run "${run}" is ${state}; only ended runs can be erased. Cancel it first.`)
}

/** Whether a summary passes a filter: for stores that filter in JavaScript, and as the meaning of the filter for those that do not. */
export function matches(summary: RunSummary, filter: RunFilter): boolean {
  const states = filter.state === undefined ? undefined : [filter.state].flat()
  return (
    (states === undefined || states.includes(summary.state)) &&
    (filter.sessionId === undefined || summary.sessionId === filter.sessionId) &&
    (filter.name === undefined || summary.name === filter.name) &&
    (filter.parent === undefined || (summary.parent ?? null) === filter.parent) &&
    (filter.updatedBefore === undefined || summary.updatedAt < filter.updatedBefore) &&
    (filter.wakeBefore === undefined ||
      (summary.state === 'suspended' && summary.wakeAt !== undefined && summary.wakeAt <= filter.wakeBefore))
  )
}
