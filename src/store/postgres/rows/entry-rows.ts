import { dataText, restoreEntry } from '../../../journal/index.ts'
import type { Entry, EntryType, Head } from '../../../journal/index.ts'
import { placeOf } from '../../encryption/index.ts'
import { byteArray, numberArray, textArray } from '../array-text.ts'
import type { PostgresLink, Row, Session } from '../link.ts'
import type { Sealing } from '../../entry-cipher.ts'

/** A page is limited by number and size, so that neither many small entries nor a few large ones fill the memory. */
const PAGE_ENTRIES = 500
const PAGE_BYTES = 1_000_000

/** What can be derived is not stored: `prev` is the hash of the row before. */
export const ENTRY_COLUMNS = 'run, seq, v, at, type, key, data_hash, hash, salt, data, sealed'

/** The array types of those columns, in their order. */
const TYPES = ['text', 'int', 'int', 'float8', 'text', 'text', 'text', 'text', 'text', 'text', 'bytea'] as const

/** The entries of many appends, column by column, for `entrySource`. */
export function entryColumns(entries: readonly Entry[], sealing: Sealing): string[] {
  const { isSealing } = sealing
  const isPlain = (entry: Entry): boolean => !isSealing && entry.salt !== null
  return [
    textArray(entries.map(({ run }) => run)),
    numberArray(entries.map(({ seq }) => seq)),
    numberArray(entries.map(({ v }) => v)),
    numberArray(entries.map(({ at }) => at)),
    textArray(entries.map(({ type }) => type)),
    textArray(entries.map(({ key }) => (key === undefined ? null : JSON.stringify(key)))),
    textArray(entries.map(({ dataHash }) => dataHash)),
    textArray(entries.map(({ hash }) => hash)),
    textArray(entries.map((entry) => (isSealing ? null : entry.salt))),
    textArray(entries.map((entry) => (isPlain(entry) ? dataText(entry) : null))),
    byteArray(entries.map((entry) => (isSealing && entry.salt !== null ? sealedEntry(entry, sealing) : null))),
  ]
}

function sealedEntry(entry: Entry, sealing: Sealing): Uint8Array | null {
  return sealing.keep(placeOf('entries', entry.run, entry.seq), `${entry.salt}\0${dataText(entry)}`).sealed
}

/** The rows of those columns, starting at parameter number `first`. */
export function entrySource(first: number): string {
  return `unnest(${TYPES.map((type, index) => `$${first + index}::${type}[]`).join(', ')}) AS e (${ENTRY_COLUMNS})`
}

export async function insertEntries(
  session: Session,
  table: string,
  entries: readonly Entry[],
  sealing: Sealing,
): Promise<void> {
  if (entries.length === 0) return
  const sql = `INSERT INTO ${table} (${ENTRY_COLUMNS}) SELECT * FROM ${entrySource(1)}`
  await session.query(sql, entryColumns(entries, sealing))
}

/** A page of a run. */
export interface Page {
  readonly rows: readonly Row[]
  readonly more: boolean
}

/** The query of a page: `run` and `from` are SQL expressions. */
export function pageSource(link: PostgresLink, run: string, from: string, maxBytes: number): string {
  const size = 'coalesce(octet_length(data), octet_length(sealed), 0)'
  return `SELECT * FROM (
      SELECT ${ENTRY_COLUMNS}, sum(${size}) OVER (ORDER BY seq) - ${size} AS before
      FROM ${link.table('entries')} WHERE run = ${run} AND seq >= ${from} ORDER BY seq LIMIT ${PAGE_ENTRIES}
    ) AS page WHERE before < ${maxBytes}`
}

/** The rows of a page, and whether it may have been cut: a page is cut by its size if the rows before the last one reach the limit. */
export function pageOf(rows: readonly Row[], maxBytes: number): Page {
  const last = rows.at(-1)
  const isFull =
    rows.length >= PAGE_ENTRIES || (last !== undefined && Number(last['before']) + sizeOf(last) >= maxBytes)
  return { rows, more: isFull }
}

/** Reads one page. */
export async function readPage(link: PostgresLink, run: string, fromSeq: number): Promise<Page> {
  const { rows } = await link.query(`${pageSource(link, '$1', '$2', PAGE_BYTES)} ORDER BY seq`, [run, fromSeq])
  return pageOf(rows, PAGE_BYTES)
}

function sizeOf(row: Row): number {
  return Buffer.byteLength((row['data'] as string | null) ?? '') + ((row['sealed'] as Uint8Array | null)?.length ?? 0)
}

/** Converts a row to the entry that follows `prev`. The check that follows hashes the stored text, and reports mismatches with the number of the entry. */
export async function entryOf(row: Row, prev: string, sealing: Sealing): Promise<Entry> {
  const run = row['run'] as string
  const seq = row['seq'] as number
  const kept = { plain: row['data'] as string | null, sealed: row['sealed'] as Uint8Array | null }
  const text = await sealing.reveal(placeOf('entries', run, seq), kept)
  const [salt, data] = sealing.isSealing ? parted(text) : [row['salt'] as string | null, text]
  const key = row['key'] as string | null
  const stored = {
    v: row['v'] as number,
    run,
    seq,
    at: row['at'] as number,
    type: row['type'] as EntryType,
    key: key === null ? undefined : (JSON.parse(key) as string),
    dataHash: row['data_hash'] as string,
    prev,
    hash: row['hash'] as string,
    salt,
  }
  return restoreEntry(stored, data)
}

/** Splits salt and data, which are encrypted together. */
function parted(text: string | null): [string | null, string | null] {
  if (text === null) return [null, null]
  const end = text.indexOf('\0')
  return [text.slice(0, end), text.slice(end + 1)]
}

export function headOfRow(row: Row): Head {
  return { seq: row['seq'] as number, hash: row['hash'] as string, at: row['at'] as number }
}
