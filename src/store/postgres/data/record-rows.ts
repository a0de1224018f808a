import type { StoredRow } from '../../../memory/index.ts'
import { placeOf } from '../../encryption/index.ts'
import { settle } from '../../batcher.ts'
import type { Settled } from '../../batcher.ts'
import type { Put } from '../../ordered-puts.ts'
import type { Row, Session } from '../link.ts'
import { columnText } from '../rows/run-rows.ts'
import { isRequestFault } from '../store-errors.ts'
import type { Sealing } from '../../entry-cipher.ts'
import { hashOf } from './places.ts'
import type { DataPlace } from './data-place.ts'
import { wordsColumn } from './words-column.ts'

/** The columns read for a record. */
export const READ_COLUMNS = 'number, collection, key, text, sealed, size, at, expires_at'

/** Writes a batch of puts in order, in one statement. If the table refuses a row, each put is written separately. */
export async function executePuts(place: DataPlace, puts: readonly Put[]): Promise<Settled<void>[]> {
  try {
    await putRecords(place, puts)
    return puts.map(() => ({ value: undefined }))
  } catch (error) {
    if (puts.length === 1 || !isRequestFault(error)) throw error
  }
  const answers: Settled<void>[] = []
  for (const put of puts) answers.push(await settle(putRecords(place, [put]).then(() => {})))
  return answers
}

/** Of several rows with the same key the last counts. */
async function putRecords(place: DataPlace, puts: readonly Put[], into: PutInto = {}): Promise<number> {
  const { link, sealing, hasVectorType } = place
  const { session = link, isNewOnly = false } = into
  const all = puts.flatMap(({ space, rows }) => rows.map((row) => ({ space, row })))
  const last = new Map<string, { readonly space: string; readonly row: StoredRow }>()
  for (const one of all) {
    const id = hashOf(one.space, one.row.collection, one.row.key)
    // Deleted first, so that the map has it at the place of its last write.
    last.delete(id)
    last.set(id, one)
  }
  const embedding = hasVectorType ? ', embedding' : ''
  const vectors = hasVectorType
    ? `, (SELECT array_agg(v) FROM jsonb_array_elements_text(n.embedding::jsonb) AS v)::real[]::vector`
    : ''
  const columns =
    'id, space, place, collection, key, text, sealed, size, words, length, vector, dimensions, at, expires_at'
  const replacing = `ON CONFLICT (id) DO UPDATE SET number = excluded.number, text = excluded.text, sealed = excluded.sealed, size = excluded.size,
      words = excluded.words, length = excluded.length, vector = excluded.vector, dimensions = excluded.dimensions, at = excluded.at,
      expires_at = excluded.expires_at${hasVectorType ? ', embedding = excluded.embedding' : ''}`
  const sql = `INSERT INTO ${link.table('records')} (${columns}${embedding})
    SELECT n.id, n.space, n.place, n.collection, n.key, n.text, n.sealed, n.size, n.words::tsvector, n.length, n.vector, n.dimensions, n.at, n.expires_at${vectors}
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::int[], $9::text[], $10::int[],
      $11::bytea[], $12::int[], $13::float8[], $14::float8[]${hasVectorType ? ', $15::text[]' : ''}) WITH ORDINALITY AS n (${columns}${embedding}, rank) ORDER BY rank
    ${isNewOnly ? 'ON CONFLICT DO NOTHING' : replacing}`
  const cells = [...last].map(([id, { space, row }]) => [
    id,
    ...cellsOf(row, space, sealing),
    ...(hasVectorType ? [numbersOf(row)] : []),
  ])
  const values = cells[0]!.map((_, index) => cells.map((line) => line[index]))
  return (await session.query(sql, values)).count
}

interface PutInto {
  readonly session?: Session | undefined
  /** Does not overwrite an existing row. */
  readonly isNewOnly?: boolean | undefined
}

/** Compare and set: writes a row only if it holds the expected text, or does not exist. Optimistic; rolled back on a concurrent write. */
export async function putRecordIf(
  place: DataPlace,
  space: string,
  row: StoredRow,
  before: string | undefined,
): Promise<boolean> {
  const { link, sealing } = place
  const table = link.table('records')
  const id = hashOf(space, row.collection, row.key)
  for (;;) {
    const [found] = (await link.query(`SELECT ${READ_COLUMNS} FROM ${table} WHERE id = $1`, [id])).rows
    const stored = found && (await recordOf(found, space, sealing))
    const text = stored !== undefined && (stored.expiresAt ?? Infinity) > row.at ? stored.text : undefined
    if (text !== before) return false
    const put = { space, rows: [row] }
    const isDone = await link.transaction(async (session, isRepeat) => {
      const now = (await session.query(`SELECT number, at, size FROM ${table} WHERE id = $1 FOR UPDATE`, [id])).rows[0]
      // The reply to the first attempt was lost: a row with the same content is its result.
      if (isRepeat && now?.['at'] === row.at && now['size'] === row.text.length) return true
      if (now?.['number'] !== found?.['number']) return false
      return (await putRecords(place, [put], { session, isNewOnly: now === undefined })) > 0
    })
    if (isDone) return true
  }
}

function cellsOf(row: StoredRow, space: string, sealing: Sealing): unknown[] {
  const { collection, key, vector, words } = row
  const { plain, sealed } = sealing.keep(placeOf('records', space, collection, key), row.text)
  const bytes = vector === undefined ? null : new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
  return [
    hashOf(space),
    hashOf(space, collection),
    columnText(collection),
    columnText(key),
    plain,
    bufferOf(sealed),
    row.text.length,
    words === undefined ? null : wordsColumn(words),
    words === undefined || words === '' ? 0 : words.split(' ').length,
    bytes === null ? null : bufferOf(sealing.keepBytes(placeOf('vectors', space, collection, key), bytes)),
    vector?.length ?? null,
    row.at,
    row.expiresAt ?? null,
  ]
}

function numbersOf({ vector }: StoredRow): string | null {
  return vector === undefined ? null : JSON.stringify([...vector])
}

/** A view as `Buffer`, because the driver does not accept other byte arrays. */
export function bufferOf(bytes: Uint8Array | null): Buffer | null {
  return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Converts a row to a record, without its vector, which no reader needs. */
export async function recordOf(row: Row, space: string, sealing: Sealing): Promise<StoredRow> {
  const collection = JSON.parse(row['collection'] as string) as string
  const key = JSON.parse(row['key'] as string) as string
  const kept = { plain: row['text'] as string | null, sealed: row['sealed'] as Uint8Array | null }
  const text = (await sealing.reveal(placeOf('records', space, collection, key), kept)) ?? 'null'
  const expiresAt = row['expires_at'] as number | null
  const at = row['at'] as number
  return expiresAt === null ? { collection, key, text, at } : { collection, key, text, at, expiresAt }
}
