import type { Json, FieldNames } from '../core/index.ts'
import type { Entry, Head } from './entry.ts'
import type { Identity } from './entry-data.ts'
import type { ImportMark, RunSummary } from './summary.ts'

/** The right to write a run, until it expires or an owner with a higher epoch takes it. */
export interface Lease {
  readonly run: string
  readonly epoch: number
  readonly head: Head
  /** What is appended with this lease was written elsewhere: the store keeps that in the run's summary, in the same transaction. */
  readonly imports?: ImportMark | undefined
}

/** Who wants the lease on a run, and for how long. */
export interface AcquireOptions {
  readonly run: string
  readonly owner: string
  readonly ttlMs: number
  readonly now: number
}

/** How anyone who does not own a run speaks to it. */
export interface Signal {
  /** Sending the same id twice delivers once. */
  readonly id: string
  readonly type: 'respond' | 'cancel' | 'steer' | 'wake' | 'reset-overseer' | 'budget'
  readonly at: number
  readonly by: Identity
  readonly data: Json
}

/** A transaction of a store: a connection of the package `pg` on which one has been begun. */
export interface StoreTransaction {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** Which runs a list has. */
export interface RunFilter {
  readonly state?: string | readonly string[] | undefined
  readonly sessionId?: string | undefined
  readonly name?: string | undefined
  readonly parent?: string | null | undefined
  /** Runs that changed before this moment. */
  readonly updatedBefore?: number | undefined
  /** Suspended runs whose timer is due by this moment. */
  readonly wakeBefore?: number | undefined
  /** Runs with unanswered questions. */
  readonly waiting?: true | undefined
  /** Newest first, unless told otherwise; `waiting` and `wake` go by the oldest open question and by the timer, soonest first. */
  readonly order?: ListOrder | undefined
  /** Begins behind this place, the last one of the page before. */
  readonly after?: ListPlace | undefined
  readonly limit?: number | undefined
}

export type ListOrder = 'newest' | 'waiting' | 'wake'

/** A place in a list of runs: the moment by which it is sorted, and the run. */
export interface ListPlace {
  readonly at: number
  readonly run: string
}

export const RUN_FILTER: FieldNames<RunFilter> = {
  state: true,
  sessionId: true,
  name: true,
  parent: true,
  updatedBefore: true,
  wakeBefore: true,
  limit: true,
  waiting: true,
  order: true,
  after: true,
}

export interface ReadOptions {
  /** Lets a store in this process skip hashing again what this process has just written into it. Stores outside it verify all the same. */
  readonly ownMemory?: boolean | undefined
}

/** What changed in a journal: which run, and whether it has new entries or a new signal. */
export interface Change {
  readonly run: string
  readonly kind: 'entry' | 'signal'
}

/**
 * The journal is the run; everything else (state, chat, cost, traces) is a fold over its entries.
 * Entries are appended once, in order, and never changed; `seq` has no holes; each entry names the hash of the one before it.
 */
export interface Journal {
  /** Names this process to other users of the same store; a store that can tell whether an owner still lives need not wait for its lease to expire. */
  readonly owner?: string | undefined
  /** Takes the right to write. Fails with LEASE_HELD while another owner has it. */
  acquire(options: AcquireOptions): Promise<Lease>
  /**
   * Keeps the lease until a moment of the caller's clock, which shows `now`. A store with a clock of its own counts the difference from there,
   * so that owners whose clocks differ do not take runs from each other. Fails with LEASE_LOST when an owner with a higher epoch has the run.
   */
  renew(lease: Lease, until: number, now?: number): Promise<void>
  release(lease: Lease): Promise<void>
  /** Gives back every lease of an owner that is known to be dead, so that others need not wait for their end. Returns the runs. Absent where owners cannot be told apart. */
  readonly releaseOwner?: ((owner: string) => Promise<readonly string[]>) | undefined
  /**
   * Appends after `expectedSeq`; all or nothing, fenced by the lease's epoch, durable when the promise resolves.
   * Entries that are already there, byte for byte, count as appended: a writer that lost the answer may ask again.
   */
  append(lease: Lease, expectedSeq: number, entries: readonly Entry[], consume?: readonly string[]): Promise<void>
  /** Reads from `fromSeq`, inclusive, and verifies the chain while reading: the pair of the check made in `append`. */
  read(run: string, fromSeq?: number, options?: ReadOptions): AsyncIterable<Entry>
  summary(run: string): Promise<RunSummary | undefined>
  list(filter?: RunFilter): Promise<readonly RunSummary[]>
  /**
   * Puts a signal into the run's inbox. False when it was there already. A store with transactions calls `along` within the one that stores a new
   * signal, so that what `along` writes into the same database holds with the signal or not at all; other stores do not call it.
   */
  signal(run: string, signal: Signal, along?: (transaction: StoreTransaction) => Promise<void>): Promise<boolean>
  signals(run: string): Promise<readonly Signal[]>
  /** Tells of new entries and signals, of one run or of all (`*`), also those written by other processes. May tell too often, never too seldom. */
  watch(run: string, listener: (change: Change) => void): () => void
  /** Adds to a counter that outlives runs. */
  addCount(name: string, at: number, amount: number): Promise<void>
  /** The sum of a counter since a moment, that moment included. */
  sumCount(name: string, since: number): Promise<number>
  /** Deletes salt and data of a finished run's entries and keeps their rows, so that the chain can still be verified. Returns how many. */
  erase(run: string): Promise<number>
  /** How many bytes the content of a run's entries takes in the store. Absent where the store does not count: then the caller reads the entries. */
  contentBytes?(run: string): Promise<number>
  /**
   * Keeps large content of a run (pictures, files) beside its entries, and gives its SHA-256 in hex; durable when the promise resolves. The same content is stored once,
   * however many runs have it. It is sealed, erased and counted with the run. Absent, with `readBlob`, where the store keeps entries alone.
   */
  readonly writeBlob?: ((run: string, bytes: Uint8Array) => Promise<string>) | undefined
  /** Content that the run has, by its SHA-256; undefined for what this run does not have, also where another one does. Content that does not match its hash is refused with `JOURNAL_DAMAGED`. */
  readonly readBlob?: ((run: string, hash: string) => Promise<Uint8Array | undefined>) | undefined
  /**
   * The last entry of a run that the store remembers outside the place where the entries are; absent where there is no such place.
   * `verifyEntries` takes it to find a tail that was dropped without a trace.
   */
  knownHead?(run: string): Promise<Head | undefined>
  close(): Promise<void>
}
