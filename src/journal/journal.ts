import type { Json, FieldNames } from '../core/index.ts'
import type { Entry, Head } from './entry.ts'
import type { Identity } from './entry-data.ts'
import type { ImportMark, RunSummary } from './summary.ts'

/** The right to write a run, until it expires or an owner with a higher epoch takes over. */
export interface Lease {
  readonly run: string
  readonly epoch: number
  readonly head: Head
  /** The entries appended under this lease are imported: the store records that in the run's summary, in the same transaction. */
  readonly imports?: ImportMark | undefined
}

/** The owner, run and duration of a requested lease. */
export interface AcquireOptions {
  readonly run: string
  readonly owner: string
  readonly ttlMs: number
  readonly now: number
}

/** A message to a run from outside its owning process. */
export interface Signal {
  /** A signal sent twice under the same id is delivered once. */
  readonly id: string
  readonly type: 'respond' | 'cancel' | 'steer' | 'wake' | 'reset-overseer' | 'budget'
  readonly at: number
  readonly by: Identity
  readonly data: Json
}

/** A transaction of a store: a connection of the package `pg` with an open transaction. */
export interface StoreTransaction {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** Selects and orders runs. */
export interface RunFilter {
  readonly state?: string | readonly string[] | undefined
  readonly sessionId?: string | undefined
  readonly name?: string | undefined
  readonly parent?: string | null | undefined
  /** Runs whose ids begin with this text. */
  readonly runPrefix?: string | undefined
  /** Runs that changed before this time. */
  readonly updatedBefore?: number | undefined
  /** Suspended runs whose timer is due by this time. */
  readonly wakeBefore?: number | undefined
  /** Runs with unanswered questions. */
  readonly waiting?: true | undefined
  /** `newest` by default; `waiting` lists runs with open questions by the oldest one, and `wake` those with a timer by it, soonest first. */
  readonly order?: ListOrder | undefined
  /** Starts behind this place: the last one of the previous page. */
  readonly after?: ListPlace | undefined
  readonly limit?: number | undefined
}

export type ListOrder = 'newest' | 'waiting' | 'wake'

/** A place in a list of runs: the time by which it is sorted, and the run. */
export interface ListPlace {
  readonly at: number
  readonly run: string
}

export const RUN_FILTER: FieldNames<RunFilter> = {
  state: 'text|list',
  sessionId: 'text',
  name: 'text',
  parent: true,
  runPrefix: 'text',
  updatedBefore: 'number',
  wakeBefore: 'number',
  limit: 'number',
  waiting: 'flag',
  order: 'text',
  after: 'object',
}

export interface ReadOptions {
  /** Lets a store in this process skip verifying hashes of entries that this process has just written into it. Other stores verify always. */
  readonly ownMemory?: boolean | undefined
}

/** A change of a journal: the run, and whether it has new entries or a new signal. */
export interface Change {
  readonly run: string
  readonly kind: 'entry' | 'signal'
}

/**
 * The journal is the run; everything else (state, chat, cost, traces) is a fold over its entries. Entries are appended once, in order, and never
 * changed; `seq` has no gaps; each entry has the hash of the previous one.
 */
export interface Journal {
  /** The owner name of this process for leases in the store. A store that can detect dead owners need not wait for their leases to expire. */
  readonly owner?: string | undefined
  /** Whether its contents are encrypted: then nothing of them may be written elsewhere in plain text. */
  readonly isEncrypted?: boolean | undefined
  /** Acquires the right to write. Fails with LEASE_HELD while another owner has it. */
  acquire(options: AcquireOptions): Promise<Lease>
  /**
   * Extends the lease until a time of the caller's clock, which shows `now`. A store with its own clock adds the difference to its own time, so that
   * clock skew between owners cannot move runs. Fails with LEASE_LOST if an owner with a higher epoch has the run.
   */
  renew(lease: Lease, until: number, now?: number): Promise<void>
  /** Releases a lease. */
  release(lease: Lease): Promise<void>
  /**
   * Releases every lease of an owner that is known to be dead, so that others need not wait for their expiry. Returns the runs. Absent where owners
   * cannot be distinguished.
   */
  readonly releaseOwner?: ((owner: string) => Promise<readonly string[]>) | undefined
  /**
   * Appends after `expectedSeq`: atomic, fenced by the lease's epoch, durable when the promise resolves. Entries that are already stored, byte for
   * byte, count as appended, so that a writer that lost the reply may retry.
   */
  append(lease: Lease, expectedSeq: number, entries: readonly Entry[], consume?: readonly string[]): Promise<void>
  /** Reads from `fromSeq`, inclusive, and verifies the chain: the counterpart of the check in `append`. */
  read(run: string, fromSeq?: number, options?: ReadOptions): AsyncIterable<Entry>
  /** The summary of a run, without reading its entries. */
  summary(run: string): Promise<RunSummary | undefined>
  /** Lists runs, newest first unless `order` is given. */
  list(filter?: RunFilter): Promise<readonly RunSummary[]>
  /**
   * Puts a signal into the run's inbox. Returns false if it was there already. A store with transactions calls `along` within the transaction that
   * stores a new signal, so that writes of `along` to the same database are atomic with it; other stores do not call it.
   */
  signal(run: string, signal: Signal, along?: (transaction: StoreTransaction) => Promise<void>): Promise<boolean>
  /** The signals of a run that are not consumed yet. */
  signals(run: string): Promise<readonly Signal[]>
  /**
   * Reports new entries and signals of one run or of all (`*`), including those written by other processes. May report too often, but never misses a
   * change.
   */
  watch(run: string, listener: (change: Change) => void): () => void
  /** Adds to a counter that outlives runs. */
  addCount(name: string, at: number, amount: number): Promise<void>
  /** The sum of a counter from `since` on, inclusive. */
  sumCount(name: string, since: number): Promise<number>
  /** Deletes salt and data of a finished run's entries and keeps their rows, so that the chain can still be verified. Returns their number. */
  erase(run: string): Promise<number>
  /** The size of the content of a run's entries in the store, in bytes. Absent if the store does not count it: then the caller reads the entries. */
  contentBytes?(run: string): Promise<number>
  /**
   * Stores a large file of a run (an image, for example) beside its entries, and returns its SHA-256 in hex; durable when the promise resolves. Equal
   * content is stored once, however many runs have it. It is encrypted, erased and counted with the run. Absent, like `readBlob`, if the store keeps
   * entries alone.
   */
  readonly writeBlob?: ((run: string, bytes: Uint8Array) => Promise<string>) | undefined
  /**
   * Reads a file of the run by its SHA-256; `undefined` if this run does not have it, even if another one does. Content that does not match its hash
   * is refused with `JOURNAL_DAMAGED`.
   */
  readonly readBlob?: ((run: string, hash: string) => Promise<Uint8Array | undefined>) | undefined
  /**
   * The last entry of a run as the store records it apart from the entries; absent if it does not. `verifyEntries` uses it to detect a tail that was
   * removed.
   */
  knownHead?(run: string): Promise<Head | undefined>
  /** Closes the store. */
  close(): Promise<void>
}
