import type { ErrorInfo } from '../../core/index.ts'
import type {
  AcquireOptions,
  Change,
  Entry,
  EntryType,
  Head,
  Lease,
  RunFilter,
  RunSummary,
  Signal,
} from '../../journal/index.ts'
import type { KeyRing, RekeyReport } from '../encryption/index.ts'

/** Options of the thread that owns the file. */
export interface FileOptions {
  readonly path: string
  readonly busyTimeoutMs: number
  readonly watchIntervalMs: number
  readonly maxBytes?: number | undefined
  /** The keys of the host, if the file is encrypted. */
  readonly ring?: KeyRing | undefined
  readonly withoutKeys?: boolean | undefined
}

/** An entry as stored: `data` is still text. */
export type StoredEntry = Omit<Entry, 'data'> & { readonly data: string | null }

/**
 * An entry to be stored, as a tuple in the order of the columns with the key as JSON: cheaper to clone between threads than an object, and bound as
 * it is.
 */
export type EntryRow = readonly [
  run: string,
  seq: number,
  v: number,
  at: number,
  type: EntryType,
  key: string | null,
  dataHash: string,
  prev: string,
  hash: string,
  salt: string | null,
  data: string | null,
]

/** The part of a lease that a writer must present. */
export type Held = Pick<Lease, 'run' | 'epoch' | 'imports'>

/** A page of a run, small enough to hold in memory. */
export interface Page {
  readonly entries: readonly StoredEntry[]
  readonly more: boolean
  /** With the first page: the head before the first entry. */
  readonly before?: Head | undefined
  /** With the first page: entries that must exist, otherwise the run has lost its tail. */
  readonly expected?: readonly Head[] | undefined
}

export interface StoreStats {
  /** Transactions that wrote. */
  readonly commits: number
  /** Requests in those transactions. */
  readonly writes: number
}

/** The operations of the thread. */
export interface Operations {
  open(): void
  acquire(options: AcquireOptions): Lease
  renew(lease: Lease, until: number): void
  release(lease: Lease): void
  append(held: Held, expectedSeq: number, rows: readonly EntryRow[], consume: readonly string[]): void
  page(run: string, fromSeq: number, isFirst: boolean): Page
  summary(run: string): RunSummary | undefined
  list(filter: RunFilter): readonly RunSummary[]
  signal(run: string, signal: Signal): boolean
  signals(run: string): readonly Signal[]
  addCount(name: string, at: number, amount: number): void
  sumCount(name: string, since: number): number
  erase(run: string): number
  contentBytes(run: string): number
  writeBlob(run: string, hash: string, bytes: Uint8Array): void
  readBlob(run: string, hash: string): Uint8Array | undefined
  rekey(): RekeyReport
  knownHead(run: string): Head | undefined
  stats(): StoreStats
  watch(isWatching: boolean): void
  close(): void
}

export type OperationName = keyof Operations

export type Call<Op extends OperationName = OperationName> = Op extends OperationName
  ? { readonly id: number; readonly op: Op; readonly args: Parameters<Operations[Op]> }
  : never

type Answer = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: ErrorInfo }

/** A message from the thread: answers to calls, in any order, and change notifications. */
export interface Post {
  /** Calls without a result. */
  readonly done?: readonly number[] | undefined
  readonly answers?: readonly Answer[] | undefined
  readonly changes?: readonly Change[] | undefined
}

/** The caller's side of the file. */
export interface StoreCaller {
  readonly isClosed: boolean
  call<Op extends OperationName>(op: Op, ...args: Parameters<Operations[Op]>): Promise<ReturnType<Operations[Op]>>
  /** Starts or stops change notifications. */
  watch(isWatching: boolean): void
  close(): Promise<void>
}

const WRITES: ReadonlySet<OperationName> = new Set([
  'acquire',
  'renew',
  'release',
  'append',
  'signal',
  'addCount',
  'erase',
  'writeBlob',
  'rekey',
])

/** Whether an operation changes the file, and so takes part in a commit. */
export function isWrite(call: Call): boolean {
  return WRITES.has(call.op)
}
