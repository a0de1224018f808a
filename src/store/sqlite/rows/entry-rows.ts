import { MandateError } from '../../../core/index.ts'
import { checkEntry, dataText, planAppend, restoreAdvice, restoreEntry } from '../../../journal/index.ts'
import type { Entry, EntryType, Head, RunSummary } from '../../../journal/index.ts'
import type { RowCipher } from '../../encryption/index.ts'
import type { EntryRow, StoredEntry } from '../protocol.ts'
import { openEntryData, sealEntryData } from './sealed-rows.ts'
import type { Row, SqliteFile } from '../sqlite-file.ts'
import { isDamage } from '../store-errors.ts'

const COLUMNS = 'run, seq, v, at, type, key, data_hash, prev, hash, salt, data, sealed'
/** A page is limited by number and size, so that neither many small entries nor a few large ones fill the memory. */
const PAGE_ENTRIES = 500
const PAGE_CHARS = 1_000_000

/**
 * Converts the entries of one append to rows, on the caller's side, where entries sealed by this process need no second hash. The thread checks
 * whether they follow what is stored.
 */
export function rowsOf(run: string, entries: readonly Entry[]): EntryRow[] {
  const [first] = entries
  if (first !== undefined)
    planAppend({ run, summary: summaryBefore(first), hashAt: () => undefined }, first.seq - 1, entries)
  return entries.map((entry) => [
    entry.run,
    entry.seq,
    entry.v,
    entry.at,
    entry.type,
    entry.key === undefined ? null : JSON.stringify(entry.key),
    entry.dataHash,
    entry.prev,
    entry.hash,
    entry.salt,
    entry.salt === null ? null : dataText(entry),
  ])
}

/** A summary that ends right before the entry. */
function summaryBefore({ run, seq, prev }: Entry): RunSummary | undefined {
  if (seq === 1) return undefined
  const head = { seq: seq - 1, hash: prev, at: 0 }
  return {
    run,
    mind: 'agent',
    name: '',
    sessionId: '',
    state: 'running',
    createdAt: 0,
    updatedAt: 0,
    head,
    erased: false,
  }
}

/** The entry of a row as far as planning an append needs it: for most only the place; entries about the run itself are folded. */
export function entryToPlace([run, seq, v, at, type, , dataHash, prev, hash, salt, data]: EntryRow): Entry {
  const isFolded = type.startsWith('run-') || type.startsWith('approval-')
  return restoreEntry({ run, seq, v, at, type, dataHash, prev, hash, salt }, isFolded ? data : 'null')
}

export function insertEntry(file: SqliteFile, row: EntryRow): void {
  const { cipher } = file
  const [run, seq, v, at, type, key, dataHash, prev, hash, salt, data] = row
  const isSealed = cipher !== undefined && salt !== null
  file.run(
    `INSERT INTO entries (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[run, seq, v, at, type, key, dataHash, prev, hash],
    ...(isSealed ? [null, null, sealEntryData(cipher, row)] : [salt, data, null]),
  )
}

/** The id of the newest entry in the file, of any run. */
export function lastEntryId(file: SqliteFile): number {
  return Number(file.get('SELECT max(id) AS last FROM entries')?.['last'] ?? 0)
}

/** The run of each entry after that id, once per entry: for `DISTINCT` SQLite would scan the index on runs, which has every entry ever stored. */
export function runsGrownSince(file: SqliteFile, id: number): string[] {
  return file.all('SELECT run FROM entries WHERE id > ?', id).map((row) => row['run'] as string)
}

export function hashAt(file: SqliteFile, run: string, seq: number): string | undefined {
  return file.get('SELECT hash FROM entries WHERE run = ? AND seq = ?', run, seq)?.['hash'] as string | undefined
}

export function headAt(file: SqliteFile, run: string, seq: number): Head | undefined {
  const row = file.get('SELECT seq, hash, at FROM entries WHERE run = ? AND seq = ?', run, seq)
  return row === undefined ? undefined : { seq: Number(row['seq']), hash: String(row['hash']), at: Number(row['at']) }
}

/** Reads one page. In a damaged file the page ends before the damage, so that the next one reports it with its number. */
export function readPage(file: SqliteFile, run: string, fromSeq: number): { entries: StoredEntry[]; more: boolean } {
  const entries: StoredEntry[] = []
  let chars = 0
  try {
    for (const row of file.iterate(
      `SELECT ${COLUMNS} FROM entries WHERE run = ? AND seq >= ? ORDER BY seq`,
      run,
      fromSeq,
    )) {
      const entry = entryOf(file, row)
      entries.push(entry)
      chars += entry.data?.length ?? 0
      if (entries.length >= PAGE_ENTRIES || chars >= PAGE_CHARS) return { entries, more: true }
    }
  } catch (error) {
    if (!isDamage(error) && !isJournalDamage(error)) throw error
    if (entries.length === 0) throw isDamage(error) ? unreadable(run, fromSeq, error) : error
    return { entries, more: true }
  }
  return { entries, more: false }
}

function unreadable(run: string, seq: number, cause: unknown): MandateError {
  return new MandateError(
    'JOURNAL_DAMAGED',
    `Run "${run}" is damaged at entry ${seq}: the file cannot be read there. Everything before it is intact. ${restoreAdvice('the rest', seq - 1)}`,
    { cause, info: { run, seq, wrong: 'the file cannot be read there' } },
  )
}

/** The last stored entry, checked as far as possible without the earlier ones. */
export function lastHead(file: SqliteFile, run: string): Head | undefined {
  const row = file.get(`SELECT ${COLUMNS} FROM entries WHERE run = ? ORDER BY seq DESC LIMIT 1`, run)
  if (row === undefined) return undefined
  const entry = parseEntry(entryOf(file, row))
  checkEntry(entry, { seq: entry.seq - 1, hash: entry.prev, at: 0 }, run)
  return { seq: entry.seq, hash: entry.hash, at: entry.at }
}

function entryOf(file: SqliteFile, row: Row): StoredEntry {
  if (file.cipher === undefined && row['sealed'] !== null) file.leaveSealed()
  const said = file.cipher === undefined ? row : openedEntry(file.cipher, row)
  return {
    v: row['v'] as number,
    run: row['run'] as string,
    seq: row['seq'] as number,
    at: row['at'] as number,
    type: row['type'] as EntryType,
    key: row['key'] === null ? undefined : (parseText(row['key'] as string) as string),
    dataHash: row['data_hash'] as string,
    prev: row['prev'] as string,
    hash: row['hash'] as string,
    salt: said['salt'] as string | null,
    data: said['data'] as string | null,
  }
}

/** Parses an entry's data. The check that follows hashes the stored text, and reports mismatches with the number of the entry. */
export function parseEntry({ data, ...stored }: StoredEntry): Entry {
  return restoreEntry(stored, data)
}

/** The decrypted contents of an entry. One that was not encrypted at this place is reported as damaged. */
function openedEntry(cipher: RowCipher, row: Row): { salt: string | null; data: string | null } {
  try {
    return openEntryData(cipher, row)
  } catch (error) {
    if (!MandateError.isInstance(error) || error.code !== 'SEAL_BROKEN') throw error
    const { run, seq } = row as { run: string; seq: number }
    throw new MandateError('JOURNAL_DAMAGED', `Run "${run}" is damaged at entry ${seq}: ${error.message}`, {
      cause: error,
      info: { run, seq, wrong: 'it is not what was sealed there' },
    })
  }
}

function isJournalDamage(error: unknown): boolean {
  return MandateError.isInstance(error) && error.code === 'JOURNAL_DAMAGED'
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Overwrites the contents of the entries; their places in the chain stay. */
export function eraseEntries(file: SqliteFile, run: string): number {
  return file.run('UPDATE entries SET salt = NULL, data = NULL, sealed = NULL WHERE run = ?', run)
}
