import { MandateError, checkId } from '../../core/index.ts'
import { GENESIS, headBefore, isEnded, notEnded, planAppend, restoreAdvice, saysMore } from '../../journal/index.ts'
import type { AcquireOptions, Head, Lease, RunFilter, RunSummary, Signal } from '../../journal/index.ts'
import type { RekeyReport } from '../encryption/index.ts'
import { blobBytes, eraseBlobs, insertBlob, readBlob } from './rows/blob-rows.ts'
import { entryToPlace, eraseEntries, hashAt, headAt, insertEntry, lastHead, readPage } from './rows/entry-rows.ts'
import { DamagedRuns, missingTail, runLost } from './rows/damaged-runs.ts'
import type { KnownHeads } from './rows/known-heads.ts'
import { KnownRuns } from './rows/known-runs.ts'
import { releaseLease, renewLease, takeLease } from './rows/lease-rows.ts'
import type { EntryRow, Held, Operations, Page } from './protocol.ts'
import { listSummaries } from './rows/run-lists.ts'
import { catchUp, noteSignal, readSummary, writeHead, writeSummary } from './rows/run-rows.ts'
import { consumeSignal, eraseSignals, insertSignal, readSignals } from './rows/signal-rows.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** The operations on rows; those of the thread itself are elsewhere. */
type RowOperations = Omit<Operations, 'stats' | 'watch' | 'close'>

/**
 * The journal's contract in SQL. Every operation decides first and writes last: one that refuses has changed nothing. Writing operations run inside a
 * transaction that holds the write lock, so what they read cannot change meanwhile.
 */
export class StoreOperations implements RowOperations {
  readonly #file: SqliteFile
  readonly #heads: KnownHeads
  readonly #runs: KnownRuns
  readonly #damaged: DamagedRuns
  /** Runs that have grown in the current transaction; their heads are recorded outside once it is on disk. */
  #grown: RunSummary[] = []
  /** The log still has data that was erased from the database. */
  #isLogTelling = false
  /** The handle through which summaries of an older build were refolded. */
  #caughtUp = 0
  /** There are data keys that the cipher must not use before they are on disk. */
  #isRekeyed = false

  constructor(file: SqliteFile, heads: KnownHeads) {
    this.#file = file
    this.#heads = heads
    this.#runs = new KnownRuns(file)
    this.#damaged = new DamagedRuns(file, heads)
  }

  open(): void {
    this.#file.open()
    this.#file.checkPresence()
    this.#heads.belongTo(this.#file.storeId)
    if (this.#caughtUp === this.#file.handle) return
    this.#caughtUp = this.#file.handle
    catchUp(this.#file)
  }

  /** The transaction has begun, and holds the write lock. */
  begun(): void {
    this.#runs.refresh()
  }

  acquire(options: AcquireOptions): Lease {
    const run = checkId(options.run, 'The run id')
    const known = this.#heads.get(run)
    const head = readSummary(this.#file, run)?.head ?? GENESIS
    this.#checkHead(run, head, known)
    this.#runs.forget(run)
    return { run, epoch: takeLease(this.#file, options), head }
  }

  renew(lease: Lease, until: number): void {
    renewLease(this.#file, lease, until)
  }

  release(lease: Lease): void {
    this.#runs.forget(lease.run)
    releaseLease(this.#file, lease)
  }

  append(held: Held, expectedSeq: number, rows: readonly EntryRow[], consume: readonly string[]): void {
    const { run } = held
    const known = this.#runs.held(held)
    const { imports } = held
    const stored = { run, summary: known.summary, imports, hashAt: (seq: number) => hashAt(this.#file, run, seq) }
    const { fresh, summary } = planAppend(stored, expectedSeq, rows.map(entryToPlace))
    for (const row of rows.slice(rows.length - fresh.length)) insertEntry(this.#file, row)
    const number = fresh.length > 0 ? writeHead(this.#file, summary, known.number) : known.number
    if (saysMore(known.summary, summary)) writeSummary(this.#file, summary)
    for (const id of consume) consumeSignal(this.#file, run, id)
    this.#runs.note(run, { epoch: held.epoch, summary, number })
    this.#grown.push(summary)
  }

  /** Whether an append whose reply was lost is stored. */
  holds(run: string, rows: readonly EntryRow[]): boolean {
    const [, seq, , , , , , , hash] = rows.at(-1) ?? []
    return seq !== undefined && hashAt(this.#file, run, seq) === hash
  }

  page(run: string, fromSeq: number, isFirst: boolean): Page {
    if (!isFirst) return readPage(this.#file, run, fromSeq)
    // The expected heads are read before the entries: a writer in another process may be adding to both.
    const known = this.#heads.get(run)
    const stored = readSummary(this.#file, run)?.head
    if (known !== undefined && (stored?.seq ?? 0) < Math.min(known.seq, fromSeq))
      throw missingTail(run, stored?.seq ?? 0, known.seq, this.#file.path)
    const expected = [known, stored].filter((head) => head !== undefined)
    const before = headBefore(fromSeq, (seq) => headAt(this.#file, run, seq))
    return { ...readPage(this.#file, run, fromSeq), before, expected }
  }

  summary(run: string): RunSummary | undefined {
    return this.#damaged.of(run) ?? readSummary(this.#file, run)
  }

  list(filter: RunFilter): readonly RunSummary[] {
    return this.#damaged.into(listSummaries(this.#file, filter), filter)
  }

  signal(run: string, signal: Signal): boolean {
    if (readSummary(this.#file, run) === undefined) {
      const known = this.#heads.get(run)
      if (known !== undefined) throw runLost(run, known.seq, this.#file.path)
      throw new MandateError('NOT_FOUND', `There is no run "${run}" to signal.`)
    }
    const isNew = insertSignal(this.#file, run, signal)
    if (isNew) noteSignal(this.#file, run)
    return isNew
  }

  signals(run: string): readonly Signal[] {
    return readSignals(this.#file, run)
  }

  addCount(name: string, at: number, amount: number): void {
    const sql =
      'INSERT INTO counts (name, at, amount) VALUES (?, ?, ?) ON CONFLICT (name, at) DO UPDATE SET amount = amount + excluded.amount'
    this.#file.run(sql, JSON.stringify(name), at, amount)
  }

  sumCount(name: string, since: number): number {
    const row = this.#file.get(
      'SELECT total(amount) AS sum FROM counts WHERE name = ? AND at >= ?',
      JSON.stringify(name),
      since,
    )
    return Number(row?.['sum'] ?? 0)
  }

  erase(run: string): number {
    const summary = readSummary(this.#file, run)
    if (summary === undefined) throw new MandateError('NOT_FOUND', `There is no run "${run}" to erase.`)
    if (!isEnded(summary.state)) throw notEnded(run, summary.state)
    const count = eraseEntries(this.#file, run)
    eraseSignals(this.#file, run)
    eraseBlobs(this.#file, run)
    writeSummary(this.#file, { ...summary, erased: true })
    this.#runs.forget(run)
    this.#isLogTelling = true
    return count
  }

  rekey(): RekeyReport {
    const report = this.#file.rekey()
    this.#isRekeyed = true
    return report
  }

  contentBytes(run: string): number {
    const sql = 'SELECT total(octet_length(coalesce(sealed, salt || data))) AS bytes FROM entries WHERE run = ?'
    return Number(this.#file.get(sql, run)?.['bytes'] ?? 0) + blobBytes(this.#file, run)
  }

  writeBlob(run: string, hash: string, bytes: Uint8Array): void {
    insertBlob(this.#file, { run, hash, bytes })
  }

  readBlob(run: string, hash: string): Uint8Array | undefined {
    return readBlob(this.#file, run, hash)
  }

  knownHead(run: string): Head | undefined {
    return this.#heads.get(run)
  }

  /** The transaction is on disk. */
  committed(): void {
    for (const summary of this.#grown) this.#note(summary)
    this.#grown = []
    this.#heads.write()
    if (this.#isRekeyed) this.#file.learnKeys()
    this.#isRekeyed = false
    this.emptyLog()
  }

  /** Empties the log, which still has erased data. If a reader in another process prevents it, the next erasure or the end does it. */
  emptyLog(): void {
    if (!this.#isLogTelling) return
    try {
      this.#isLogTelling = !this.#file.checkpoint()
    } catch {
      // The erasure itself is on disk; a failing disk is reported by the next write.
    }
  }

  /** Records a run that was read back after a failure. */
  remember(run: string): void {
    const summary = readSummary(this.#file, run)
    if (summary === undefined) return
    this.#note(summary)
    this.#heads.write()
  }

  /** The transaction was rolled back. */
  rolledBack(): void {
    this.#grown = []
    this.#isRekeyed = false
    this.#runs.forgetAll()
  }

  #note({ run, head, state }: RunSummary): void {
    this.#heads.note(run, head, state !== 'running')
  }

  /** Throws unless entries, summary and recorded head agree. */
  #checkHead(run: string, head: Head, known: Head | undefined): void {
    const last = lastHead(this.#file, run) ?? GENESIS
    if (last.seq < head.seq) throw missingTail(run, last.seq, head.seq, this.#file.path)
    if (last.seq !== head.seq || last.hash !== head.hash) throw headDiffers(run, last.seq)
    if (known === undefined) return
    if (known.seq > head.seq) throw missingTail(run, head.seq, known.seq, this.#file.path)
    if (hashAt(this.#file, run, known.seq) !== known.hash) throw headDiffers(run, known.seq)
  }
}

/** The error for a run with an entry that is not the one that was stored. */
export function headDiffers(run: string, seq: number): MandateError {
  return new MandateError(
    'JOURNAL_DAMAGED',
    `Run "${run}" is damaged at entry ${seq}: it is not the one that was stored there. ${restoreAdvice('the file', seq - 1)}`,
    { info: { run, seq, wrong: 'it is not the one that was stored there' } },
  )
}
