import { MandateError, checkId } from '../../core/index.ts'
import { planAppend } from '../append-plan.ts'
import { Counter } from './counter.ts'
import { MemoryBlobs } from './memory-blobs.ts'
import { GENESIS } from '../entry.ts'
import type { Entry } from '../entry.ts'
import type { AcquireOptions, Change, Journal, Lease, ReadOptions, RunFilter, Signal } from '../journal.ts'
import type { Row } from './memory-rows.ts'
import { StoredEntries } from './stored-entries.ts'
import type { RunSummary } from '../summary.ts'
import { eraseRow, listed } from './memory-rows.ts'
import { checkRunFilter } from '../lists/run-filter.ts'
import { headBefore, readVerified } from '../verified-read.ts'

/**
 * A journal in memory: the full contract, lost when the process exits. For tests, and for runs that need not be durable.
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
  /** The runs of each session, which are asked for at each start of another. */
  readonly #sessions = new Map<string, Set<Row>>()
  readonly #watchers = new Map<string, Set<(change: Change) => void>>()
  readonly #counters = new Map<string, Counter>()
  readonly #blobs = new MemoryBlobs()

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

  async append(
    lease: Lease,
    expectedSeq: number,
    entries: readonly Entry[],
    consume: readonly string[] = [],
  ): Promise<void> {
    this.#store(this.#held(lease), expectedSeq, entries, lease.imports)
    const { inbox } = this.#rows.get(lease.run)!
    for (const id of consume) if (inbox?.signals.delete(id) === true) inbox.consumed.add(id)
    this.#tell(lease.run, 'entry')
  }

  #store(row: Row, expectedSeq: number, entries: readonly Entry[], imports: Lease['imports']): void {
    const { run, summary } = row
    const stored = { run, summary, imports, hashAt: (seq: number) => row.entries.hashAt(seq) }
    const plan = planAppend(stored, expectedSeq, entries)
    for (const entry of plan.fresh) row.entries.push(entry)
    if (summary === undefined) this.#joinSession(row, plan.summary)
    row.summary = plan.summary
  }

  #joinSession(row: Row, { sessionId }: RunSummary): void {
    const known = this.#sessions.get(sessionId)
    if (known === undefined) this.#sessions.set(sessionId, new Set([row]))
    else known.add(row)
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
    checkRunFilter(filter)
    const { sessionId } = filter
    return listed(sessionId === undefined ? this.#rows.values() : (this.#sessions.get(sessionId) ?? []), filter)
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
    let counter = this.#counters.get(name)
    if (counter === undefined) this.#counters.set(name, (counter = new Counter()))
    counter.add(at, amount)
  }

  async sumCount(name: string, since: number): Promise<number> {
    return this.#counters.get(name)?.sum(since) ?? 0
  }

  async erase(run: string): Promise<number> {
    const count = eraseRow(run, this.#rows.get(run))
    this.#blobs.erase(run)
    return count
  }

  async writeBlob(run: string, bytes: Uint8Array): Promise<string> {
    return this.#blobs.write(checkId(run, 'The run id'), bytes)
  }

  async readBlob(run: string, hash: string): Promise<Uint8Array | undefined> {
    return this.#blobs.read(run, hash)
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
    for (const listener of own ?? []) notifyWatcher(listener, change)
    for (const listener of all ?? []) notifyWatcher(listener, change)
  }
}

/** Notifies a watcher of a change; a watcher that throws must not make a successful append fail. */
export function notifyWatcher(listener: (change: Change) => void, change: Change): void {
  try {
    listener(change)
  } catch {
    // Errors of a watcher are ignored.
  }
}

/** The error of every store for a writer whose epoch is outdated. */
export function leaseLost(run: string): MandateError {
  return new MandateError('LEASE_LOST', `Run "${run}" was taken over by another owner; this one must stop writing it.`)
}
