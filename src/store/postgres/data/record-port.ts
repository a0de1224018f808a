import type {
  CollectionSize,
  Condition,
  RecordPort,
  ScanFilter,
  StoredRow,
  TrimAsked,
  Trimmed,
} from '../../../memory/index.ts'
import { ConnectionRef } from '../../shared-connection.ts'
import type { DataLink } from './data-link.ts'
import type { DataPlace } from './data-place.ts'
import { hashOf } from './places.ts'
import { READ_COLUMNS, putRecordIf, recordOf } from './record-rows.ts'
import { findNearest } from './vector-search.ts'
import { matchWords } from './word-search.ts'

const PAGE_ROWS = 1_000
const PAGE_CHARS = 4_000_000

/** Records in a Postgres schema. Without a plain full-text index it returns no matches: then records are decrypted and scanned. */
export function recordPort(data: DataLink, isAlone: boolean, hasWords: boolean): RecordPort {
  const line = new ConnectionRef(data, isAlone)
  return {
    put: (space, rows) => line.use(() => data.put(space, rows)),
    putIf: (space, row, before) => line.use((place) => putRecordIf(place, space, row, before)),
    get: (space, collection, key) => line.use((place) => getRecord(place, space, collection, key)),
    delete: (space, collection, key, now) =>
      line.use((place) => deleteRecord(place, hashOf(space, collection, key), now)),
    clear: (space, collection) => line.use((place) => clearRecords(place, hashOf(space, collection))),
    async *scan(space, filter) {
      let after: string | undefined = '0'
      while (after !== undefined) {
        const from: string = after
        const page = await line.use((place) => readPage(place, space, filter, from))
        yield page.rows
        after = page.after
      }
    },
    collections: (space) => line.use((place) => listCollections(place, space)),
    trim: (space, asked) => line.use((place) => trimRecords(place, space, asked)),
    ...(hasWords ? { matchWords: (space, asked) => line.use((place) => matchWords(place, space, asked)) } : {}),
    nearest: (space, asked) => line.use((place) => findNearest(place, space, asked)),
    close: () => line.close(),
  }
}

async function getRecord(
  { link, sealing }: DataPlace,
  space: string,
  collection: string,
  key: string,
): Promise<StoredRow | undefined> {
  const sql = `SELECT ${READ_COLUMNS} FROM ${link.table('records')} WHERE id = $1`
  const [row] = (await link.query(sql, [hashOf(space, collection, key)])).rows
  return row === undefined ? undefined : recordOf(row, space, sealing)
}

async function deleteRecord({ link }: DataPlace, id: string, now: number): Promise<boolean> {
  const sql = `DELETE FROM ${link.table('records')} WHERE id = $1 RETURNING expires_at`
  const [row] = (await link.query(sql, [id])).rows
  return row !== undefined && (row['expires_at'] === null || (row['expires_at'] as number) > now)
}

async function clearRecords({ link }: DataPlace, place: string): Promise<number> {
  return (await link.query(`DELETE FROM ${link.table('records')} WHERE place = $1`, [place])).count
}

/** The rows of a request: those of a space, or of one of its collections. */
function scopeOf(space: string, collection: string | undefined): readonly [column: string, hash: string] {
  return collection === undefined ? ['space', hashOf(space)] : ['place', hashOf(space, collection)]
}

async function readPage(
  { link, sealing }: DataPlace,
  space: string,
  { collection, newest, now, conditions = [] }: ScanFilter,
  after: string,
): Promise<{ readonly rows: readonly StoredRow[]; readonly after: string | undefined }> {
  const [column, hash] = scopeOf(space, collection)
  const table = link.table('records')
  const live = `${column} = $1 AND (expires_at IS NULL OR expires_at > $2) AND number > $3::bigint`
  // The newest records are read from the end; if there are many, in pages from there on.
  const first =
    newest === undefined || after !== '0'
      ? ''
      : `AND number >= coalesce((SELECT number FROM ${table} WHERE ${live} ORDER BY number DESC OFFSET ${Math.max(Math.floor(newest) - 1, 0)} LIMIT 1), 0)`
  if (newest !== undefined && !(newest >= 1)) return { rows: [], after: undefined }
  const pieces = sealing.isSealing || newest !== undefined ? [] : conditions.flatMap(pieceOf)
  const fitting = pieces.map((_, index) => `AND strpos(text, $${index + 4}) > 0`).join(' ')
  const sql = `SELECT * FROM (
      SELECT ${READ_COLUMNS}, sum(size) OVER (ORDER BY number) - size AS before FROM ${table} WHERE ${live} ${first} ${fitting} ORDER BY number LIMIT ${PAGE_ROWS}
    ) AS page WHERE before < ${PAGE_CHARS} ORDER BY number`
  const { rows } = await link.query(sql, [hash, now, after, ...pieces])
  const last = rows.at(-1)
  const isFull =
    rows.length >= PAGE_ROWS || (last !== undefined && Number(last['before']) + Number(last['size']) >= PAGE_CHARS)
  return {
    rows: await Promise.all(rows.map((row) => recordOf(row, space, sealing))),
    after: isFull ? (last?.['number'] as string) : undefined,
  }
}

/**
 * Texts that every row matching a condition must contain. A row has the `JSON.stringify` text of its value, so a member with a simple value occurs
 * literally; rows that contain the same text elsewhere are filtered by the caller.
 */
function pieceOf({ field, op, operand }: Condition): string[] {
  if (op !== '$eq' || (typeof operand === 'object' && operand !== null)) return []
  const name = field.split('.').at(-1)!
  // The length of a list is not part of its text.
  if (name === 'length') return []
  // A number may be the index of a list, which has no name before its item.
  return [/^\d+$/u.test(name) ? JSON.stringify(operand) : `${JSON.stringify(name)}:${JSON.stringify(operand)}`]
}

async function listCollections({ link }: DataPlace, space: string): Promise<CollectionSize[]> {
  const sql = `SELECT collection, count(*)::int AS count, sum(size)::float8 AS bytes FROM ${link.table('records')}
    WHERE space = $1 GROUP BY collection`
  const { rows } = await link.query(sql, [hashOf(space)])
  const sizes = rows.map((row) => ({
    collection: JSON.parse(row['collection'] as string) as string,
    count: row['count'] as number,
    bytes: row['bytes'] as number,
  }))
  return sizes.sort((a, b) => (a.collection < b.collection ? -1 : 1))
}

/** Deletes records that are too old, and then the oldest ones until the rest fits. */
async function trimRecords({ link }: DataPlace, space: string, asked: TrimAsked): Promise<Trimmed> {
  const [column, hash] = scopeOf(space, asked.collection)
  const table = link.table('records')
  const gone = { count: 0, bytes: 0 }
  return link.transaction(async (session) => {
    gone.count = gone.bytes = 0
    const drop = async (condition: string, values: readonly unknown[]): Promise<void> => {
      const sql = `WITH gone AS (DELETE FROM ${table} WHERE ${condition} RETURNING size)
        SELECT count(*)::int AS count, coalesce(sum(size), 0)::float8 AS bytes FROM gone`
      const [row] = (await session.query(sql, values)).rows
      gone.count += row!['count'] as number
      gone.bytes += row!['bytes'] as number
    }
    await drop(`${column} = $1 AND (expires_at <= $2 OR at < $3)`, [hash, asked.now, asked.before ?? null])
    const { maxCount = Infinity, maxBytes = Infinity } = asked
    if (maxCount === Infinity && maxBytes === Infinity) return gone
    const ranked = `SELECT id, row_number() OVER (ORDER BY number DESC) AS rank, sum(size) OVER (ORDER BY number DESC) AS bytes
      FROM ${table} WHERE ${column} = $1`
    await drop(`id IN (SELECT id FROM (${ranked}) AS ranked WHERE rank > $2::float8 OR bytes > $3::float8)`, [
      hash,
      maxCount,
      maxBytes,
    ])
    return gone
  })
}
