import { resolve } from 'node:path'
import { checkNumbers, MandateError, checkId, sha256, checkNeeded } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
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
} from '../../journal/index.ts'
import { checkRing, readRing } from '../encryption/index.ts'
import type { Encryption, RekeyReport } from '../encryption/index.ts'
import { DeferredCaller } from './deferred-caller.ts'
import { parseEntry, rowsOf } from './rows/entry-rows.ts'
import { ownerName } from '../owner.ts'
import type { FileOptions, Page, StoreCaller, StoreStats } from './protocol.ts'
import { missingTail } from './rows/damaged-runs.ts'
import { headDiffers } from './store-operations.ts'
import { StoreThread, closed } from './store-thread.ts'

export interface SqliteJournalOptions {
  /** The database file; created if it is missing, in an existing folder. */
  readonly path: string
  /** How long to wait for another process that is writing, until a call fails with STORE_FAILED. */
  readonly busyTimeoutMs?: number | undefined
  /** Poll interval for changes of other processes, while there are watchers. */
  readonly watchIntervalMs?: number | undefined
  /** The maximum size of the file; beyond it appends fail with DISK_FULL, as they do on a full disk. */
  readonly maxBytes?: number | undefined
  /**
   * The host's keys, for a file with encrypted contents. A new file is encrypted; one that was created without keys cannot be opened with them, and
   * vice versa.
   */
  readonly encryption?: Encryption | undefined
  /** Opens an encrypted file without its keys, to verify it: chains can be checked, and contents read as erased. Nothing can be added. */
  readonly withoutKeys?: boolean | undefined
}

export const SQLITE_JOURNAL_OPTIONS: FieldNames<SqliteJournalOptions> = {
  path: 'text',
  busyTimeoutMs: true,
  watchIntervalMs: true,
  maxBytes: true,
  encryption: 'function|object',
  withoutKeys: 'flag',
}

export interface SqliteJournal extends Journal {
  readonly path: string
  readonly owner: string
  /** Whether its contents are encrypted; exports are plain text either way. */
  readonly isEncrypted: boolean
  /** Opens the file now, so that problems are reported here and not by the first call. */
  open(): Promise<void>
  knownHead(run: string): Promise<Head | undefined>
  /**
   * Re-encrypts all data keys with the current key of the ring and creates a new one for new entries. No entry is rewritten; the older keys of the
   * host can then be deleted.
   */
  rekey(): Promise<RekeyReport>
  /** The number of writes, and of the commits they shared. */
  stats(): Promise<StoreStats>
}

/**
 * A journal in one SQLite file, on a thread of its own: durable when an append resolves, safe to share between processes. Beside the file,
 * `<path>.heads` records the last entry of each run, so that a lost tail is detected.
 *
 * @example
 * ```ts
 * import { sqliteJournal } from 'mandate/sqlite'
 * const journal = sqliteJournal({ path: 'journal.db' })
 * console.log(await journal.list({ state: 'suspended' }))
 * await journal.close()
 * ```
 */
export function sqliteJournal(options: SqliteJournalOptions): SqliteJournal {
  checkNeeded(options, 'an option of `sqliteJournal`', SQLITE_JOURNAL_OPTIONS)
  checkNumbers(options, 'an option of `sqliteJournal`', { maxBytes: 'cap' })
  const file = fileOptions(options)
  const { encryption } = options
  const connect = (onChanges: (changes: readonly Change[]) => void): StoreCaller => {
    if (encryption === undefined) return new StoreThread(file, onChanges)
    if (typeof encryption !== 'function') return new StoreThread({ ...file, ring: checkRing(encryption) }, onChanges)
    return new DeferredCaller(
      async () => new StoreThread({ ...file, ring: await readRing(encryption) }, onChanges),
      closed,
    )
  }
  return new FileJournal(file.path, connect, encryption !== undefined)
}

function fileOptions({
  path,
  busyTimeoutMs = 10_000,
  watchIntervalMs = 75,
  maxBytes,
  withoutKeys,
}: SqliteJournalOptions): FileOptions {
  if (typeof path !== 'string' || path === '' || path === ':memory:' || path.includes('\0')) {
    throw new MandateError(
      'CONFIG_INVALID',
      '`path` must be the path of a file. For a journal that no file holds, use `memoryJournal()`.',
    )
  }
  for (const [name, value] of Object.entries({ busyTimeoutMs, watchIntervalMs, maxBytes: maxBytes ?? 1 })) {
    if (!(Number.isFinite(value) && value >= 0))
      throw new MandateError('CONFIG_INVALID', `\`${name}\` is ${String(value)}. Give a number from 0 up.`)
  }
  return { path: resolve(path), busyTimeoutMs: Math.floor(busyTimeoutMs), watchIntervalMs, maxBytes, withoutKeys }
}

/** The journal over a `StoreCaller`: a thread normally, or direct calls in tests with thousands of files. */
export class FileJournal implements SqliteJournal {
  readonly path: string
  readonly owner: string = ownerName()
  readonly isEncrypted: boolean
  readonly #thread: StoreCaller
  readonly #watchers = new Map<string, Set<(change: Change) => void>>()

  constructor(
    path: string,
    connect: (onChanges: (changes: readonly Change[]) => void) => StoreCaller,
    isEncrypted: boolean = false,
  ) {
    this.path = path
    this.isEncrypted = isEncrypted
    this.#thread = connect((changes) => this.#tell(changes))
  }

  open(): Promise<void> {
    return this.#thread.call('open')
  }

  acquire(options: AcquireOptions): Promise<Lease> {
    return this.#thread.call('acquire', options)
  }

  renew(lease: Lease, until: number): Promise<void> {
    return this.#thread.call('renew', lease, until)
  }

  release(lease: Lease): Promise<void> {
    return this.#thread.call('release', lease)
  }

  async append(
    lease: Lease,
    expectedSeq: number,
    entries: readonly Entry[],
    consume: readonly string[] = [],
  ): Promise<void> {
    const { run, epoch, imports } = lease
    await this.#thread.call('append', { run, epoch, imports }, expectedSeq, rowsOf(run, entries), consume)
  }

  async *read(run: string, fromSeq = 1): AsyncGenerator<Entry> {
    const from = Math.max(fromSeq, 1)
    const first = await this.#thread.call('page', run, from, true)
    yield* readVerified(run, first.before!, this.#entries(run, from, first))
  }

  /** Reads entries page by page, never the whole run, and checks at the end that the last entry is that of the head. */
  async *#entries(run: string, from: number, first: Page): AsyncGenerator<Entry> {
    const expected = first.expected ?? []
    let last = from - 1
    for (let page = first; ; page = await this.#thread.call('page', run, last + 1, false)) {
      for (const stored of page.entries) {
        if (expected.some((head) => head.seq === stored.seq && head.hash !== stored.hash))
          throw headDiffers(run, stored.seq)
        last = stored.seq
        yield parseEntry(stored)
      }
      if (!page.more) break
    }
    for (const { seq } of expected) if (last < seq) throw missingTail(run, last, seq, this.path)
  }

  summary(run: string): Promise<RunSummary | undefined> {
    return this.#thread.call('summary', run)
  }

  async list(filter: RunFilter = {}): Promise<readonly RunSummary[]> {
    checkRunFilter(filter)
    return this.#thread.call('list', filter)
  }

  signal(run: string, signal: Signal): Promise<boolean> {
    return this.#thread.call('signal', run, signal)
  }

  signals(run: string): Promise<readonly Signal[]> {
    return this.#thread.call('signals', run)
  }

  /** Watches for changes. Watching alone does not keep the process running. */
  watch(run: string, listener: (change: Change) => void): () => void {
    if (this.#thread.isClosed) throw closed()
    const isFirst = this.#watchers.size === 0
    const set = this.#watchers.get(run) ?? new Set()
    this.#watchers.set(run, set.add(listener))
    if (isFirst) this.#thread.watch(true)
    return () => {
      set.delete(listener)
      if (set.size > 0 || this.#watchers.get(run) !== set) return
      this.#watchers.delete(run)
      if (this.#watchers.size === 0) this.#thread.watch(false)
    }
  }

  addCount(name: string, at: number, amount: number): Promise<void> {
    return this.#thread.call('addCount', name, at, amount)
  }

  sumCount(name: string, since: number): Promise<number> {
    return this.#thread.call('sumCount', name, since)
  }

  erase(run: string): Promise<number> {
    return this.#thread.call('erase', run)
  }

  contentBytes(run: string): Promise<number> {
    return this.#thread.call('contentBytes', run)
  }

  async writeBlob(run: string, bytes: Uint8Array): Promise<string> {
    const hash = sha256(bytes)
    await this.#thread.call('writeBlob', checkId(run, 'The run id'), hash, bytes)
    return hash
  }

  async readBlob(run: string, hash: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#thread.call('readBlob', run, hash)
    return bytes === undefined ? undefined : checkedBlob(run, hash, bytes)
  }

  knownHead(run: string): Promise<Head | undefined> {
    return this.#thread.call('knownHead', run)
  }

  rekey(): Promise<RekeyReport> {
    return this.#thread.call('rekey')
  }

  stats(): Promise<StoreStats> {
    return this.#thread.call('stats')
  }

  close(): Promise<void> {
    this.#watchers.clear()
    return this.#thread.close()
  }

  #tell(changes: readonly Change[]): void {
    for (const change of changes) {
      for (const run of [change.run, '*'])
        for (const listener of [...(this.#watchers.get(run) ?? [])]) notifyWatcher(listener, change)
    }
  }
}
