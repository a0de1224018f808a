import { checkId, sha256, checkNeeded } from '../../core/index.ts'
import { checkRunFilter, checkedBlob, readVerified, notifyWatcher } from '../../journal/index.ts'
import type {
  AcquireOptions,
  Change,
  Entry,
  Head,
  Journal,
  Lease,
  RunFilter,
  RunSummary,
  Signal,
  StoreTransaction,
} from '../../journal/index.ts'
import type { RekeyReport } from '../encryption/index.ts'
import { ownerName } from '../owner.ts'
import { executeAppends } from './appends.ts'
import type { AppendAsk, AppendPlace } from './appends.ts'
import { insertBlob, readBlob } from './rows/blob-rows.ts'
import { addCount, sumCount } from './rows/count-rows.ts'
import { eraseRun } from './erasure.ts'
import { Batcher } from '../batcher.ts'
import { KnownRuns } from './rows/known-runs.ts'
import { catchUp } from './catch-up.ts'
import { checkTimes, releaseLeases, releaseOwner, renewLeases, takeLeases } from './rows/lease-rows.ts'
import type { Renewal } from './rows/lease-rows.ts'
import { PostgresLink, closed } from './link.ts'
import { migrate } from './migrations.ts'
import { ChangeFeed } from './change-feed.ts'
import { POSTGRES_OPTIONS, linkOptions } from './options.ts'
import type { PostgresOptions } from './options.ts'
import { BatchedReads } from './batched-reads.ts'
import { isSoundEnd, readEntries, readHead, refuseDamagedHead } from './reads.ts'
import { listSummaries } from './rows/run-rows.ts'
import { JOURNAL_PART } from './rows/schema.ts'
import { insertSignal } from './rows/signal-rows.ts'
import { rekeySchema, sealingOf } from './key-shelf.ts'

/** Batches of appends in progress at a time: while the server commits one, the next one collects. */
const LANES = 1
/** The largest sequence number that the tables can hold. */
const SEQ_MAX = 2 ** 31 - 1

export interface PostgresJournal extends Journal {
  readonly owner: string
  /** The server and database, without the password. */
  readonly name: string
  /** Connects and migrates the tables now, so that problems are reported here and not by the first call. */
  open(): Promise<void>
  /** Whether its contents are encrypted; exports are plain text either way. */
  readonly isEncrypted: boolean
  knownHead(run: string): Promise<Head | undefined>
  /**
   * Re-encrypts all data keys with the current key of the ring and creates a new one for new entries. No entry is rewritten; the older keys of the
   * host can then be deleted.
   */
  rekey(): Promise<RekeyReport>
  /** The number of appends, and of the commits they shared. */
  stats(): { readonly commits: number; readonly writes: number }
}

/**
 * A journal in a Postgres database, shared by any number of processes and machines: durable when an append resolves. Concurrent appends share a
 * commit. While the server is unreachable for a moment, calls wait.
 *
 * @example
 * ```ts
 * import { postgresJournal } from 'mandate/postgres'
 * const journal = postgresJournal({ url: 'postgres://me@localhost:5432/agents' })
 * console.log(await journal.list({ state: 'suspended' }))
 * await journal.close()
 * ```
 */
export function postgresJournal(options: PostgresOptions): PostgresJournal {
  checkNeeded(options, 'an option of `postgresJournal`', POSTGRES_OPTIONS)
  return new ServerJournal(new PostgresLink(linkOptions(options)))
}

/** The journal over a connection pool, which it closes at its end. */
export class ServerJournal implements PostgresJournal {
  readonly owner: string = ownerName()
  readonly #link: PostgresLink
  readonly #news: ChangeFeed
  readonly #known = new KnownRuns()
  readonly #watchers = new Map<string, Set<(change: Change) => void>>()
  readonly #acquires: Batcher<AcquireOptions, Lease>
  readonly #renewals: Batcher<Renewal, void>
  readonly #releases: Batcher<Lease, void>
  readonly #appends: Batcher<AppendAsk, void>
  readonly #reads = new BatchedReads(() => this.#prepared())
  #place: Promise<AppendPlace> | undefined
  #isClosed = false

  constructor(link: PostgresLink) {
    this.#link = link
    this.#news = new ChangeFeed(link, (changes) => this.#tell(changes))
    this.#acquires = new Batcher({
      execute: (requests) => takeLeases(link, requests),
      keyOf: ({ run }) => run,
      lanes: LANES,
    })
    this.#renewals = new Batcher({
      execute: (requests) => renewLeases(link, requests),
      keyOf: ({ lease }) => lease.run,
      lanes: LANES,
    })
    this.#releases = new Batcher({
      execute: (requests) => releaseLeases(link, requests),
      keyOf: ({ run }) => run,
      lanes: LANES,
    })
    this.#appends = new Batcher({
      execute: async (requests) => executeAppends(await this.#prepared(), requests),
      keyOf: ({ lease }) => lease.run,
      sizeOf: ({ entries }) => entries.length * 2_000,
      lanes: LANES,
    })
  }

  get name(): string {
    return this.#link.options.name
  }

  get isEncrypted(): boolean {
    return this.#link.options.encryption !== undefined
  }

  async rekey(): Promise<RekeyReport> {
    await this.#ready()
    const report = await rekeySchema(this.#link, await migrate(this.#link, JOURNAL_PART))
    // The next call opens the keys again.
    this.#place = undefined
    return report
  }

  async open(): Promise<void> {
    await this.#ready()
    await this.#news.ready()
  }

  async acquire(options: AcquireOptions): Promise<Lease> {
    const run = checkId(options.run, 'The run id')
    checkTimes({ ttlMs: options.ttlMs, now: options.now })
    const place = await this.#ready()
    const lease = await this.#acquires.ask(options)
    try {
      // Only the lease holder can change it; a lost lease makes the next append fail.
      this.#known.note(run, lease.epoch, await this.#checked(place, lease))
    } catch (error) {
      await this.release(lease)
      throw error
    }
    return lease
  }

  /** The summary of a run that continues, unless its end is damaged. */
  async #checked(place: AppendPlace, { run, head }: Lease): Promise<RunSummary | undefined> {
    if (head.seq === 0) return undefined
    const [end, summary] = await Promise.all([this.#reads.beginning(run, head.seq), this.#reads.summary(run)])
    if (!(await isSoundEnd(place, head, end))) await refuseDamagedHead(place, run, head)
    return summary
  }

  async renew(lease: Lease, until: number, now?: number): Promise<void> {
    checkTimes({ until, now: now ?? 0 })
    await this.#ready()
    await this.#renewals.ask({ lease, until, ttlMs: now === undefined ? undefined : until - now })
  }

  async release(lease: Lease): Promise<void> {
    await this.#ready()
    this.#known.forget(lease.run)
    await this.#releases.ask(lease)
  }

  async releaseOwner(owner: string): Promise<readonly string[]> {
    return releaseOwner((await this.#ready()).link, owner)
  }

  async append(
    lease: Lease,
    expectedSeq: number,
    entries: readonly Entry[],
    consume: readonly string[] = [],
  ): Promise<void> {
    if (this.#isClosed) throw closed()
    const { run, epoch, imports } = lease
    await this.#appends.ask({ lease: { run, epoch, imports }, expectedSeq, entries, consume })
    this.#tell([{ run, kind: 'entry' }])
  }

  async *read(run: string, fromSeq = 1): AsyncGenerator<Entry> {
    const place = await this.#readable()
    const ask = { run, fromSeq: Math.trunc(Math.min(Math.max(fromSeq, 1), SEQ_MAX)) }
    const beginning = await this.#reads.beginning(run, ask.fromSeq)
    yield* readVerified(run, beginning.before, readEntries(place, ask, beginning))
  }

  async summary(run: string): Promise<RunSummary | undefined> {
    await this.#readable()
    return this.#reads.summary(run)
  }

  async list(filter: RunFilter = {}): Promise<readonly RunSummary[]> {
    checkRunFilter(filter)
    return listSummaries((await this.#readable()).link, filter)
  }

  async signal(
    run: string,
    signal: Signal,
    along?: (transaction: StoreTransaction) => Promise<void>,
  ): Promise<boolean> {
    const isNew = await insertSignal(await this.#ready(), run, signal, along)
    if (isNew) this.#tell([{ run, kind: 'signal' }])
    return isNew
  }

  async signals(run: string): Promise<readonly Signal[]> {
    await this.#readable()
    return this.#reads.signals(run)
  }

  /** Watches for changes. Watching alone does not keep the process running. */
  watch(run: string, listener: (change: Change) => void): () => void {
    if (this.#isClosed) throw closed()
    const set = this.#watchers.get(run) ?? new Set()
    this.#watchers.set(run, set.add(listener))
    this.#news.start()
    return () => {
      set.delete(listener)
      if (set.size > 0 || this.#watchers.get(run) !== set) return
      this.#watchers.delete(run)
      if (this.#watchers.size === 0) this.#news.stop()
    }
  }

  async addCount(name: string, at: number, amount: number): Promise<void> {
    checkTimes({ at, amount })
    await addCount((await this.#ready()).link, name, at, amount)
  }

  async sumCount(name: string, since: number): Promise<number> {
    return sumCount((await this.#ready()).link, name, since)
  }

  async erase(run: string): Promise<number> {
    return eraseRun((await this.#ready()).link, run)
  }

  async writeBlob(run: string, bytes: Uint8Array): Promise<string> {
    const hash = sha256(bytes)
    await insertBlob(await this.#ready(), { run: checkId(run, 'The run id'), hash, bytes })
    return hash
  }

  async readBlob(run: string, hash: string): Promise<Uint8Array | undefined> {
    const bytes = await readBlob(await this.#ready(), run, hash)
    return bytes === undefined ? undefined : checkedBlob(run, hash, bytes)
  }

  /** The head is stored in another table than the entries, so deleting the last entries is detected. */
  async knownHead(run: string): Promise<Head | undefined> {
    const head = await readHead(await this.#ready(), run)
    return head === undefined || head.seq === 0 ? undefined : head
  }

  stats(): { readonly commits: number; readonly writes: number } {
    const { batches, requests } = this.#appends.counts
    return { commits: batches, writes: requests }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#watchers.clear()
    this.#news.stop()
    const busy = [this.#acquires, this.#renewals, this.#releases, this.#appends, this.#reads]
    await Promise.all(busy.map((one) => one.rest()))
    await this.#link.close()
  }

  async #ready(): Promise<AppendPlace> {
    if (this.#isClosed) throw closed()
    return this.#prepared()
  }

  /** Once for all calls; after a failure the next call tries again. */
  #prepared(): Promise<AppendPlace> {
    this.#place ??= this.#prepare()
    return this.#place
  }

  /** The same for readers: resolves only after a subscription that is being started is active, so that no change is missed. */
  async #readable(): Promise<AppendPlace> {
    const place = await this.#ready()
    await this.#news.ready()
    return place
  }

  async #prepare(): Promise<AppendPlace> {
    try {
      const storeId = await migrate(this.#link, JOURNAL_PART)
      const sealing = await sealingOf(this.#link, storeId)
      const place = { link: this.#link, sealing, known: this.#known, news: this.#news }
      await catchUp(place)
      return place
    } catch (error) {
      this.#place = undefined
      throw error
    }
  }

  #tell(changes: readonly Change[]): void {
    if (this.#watchers.size === 0) return
    for (const change of changes)
      for (const run of [change.run, '*'])
        for (const listener of [...(this.#watchers.get(run) ?? [])]) notifyWatcher(listener, change)
  }
}
