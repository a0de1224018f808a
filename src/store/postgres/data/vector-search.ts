import { Best, dot } from '../../../memory/index.ts'
import type { NearestAsked, RankedRow } from '../../../memory/index.ts'
import { placeOf } from '../../encryption/index.ts'
import type { Row } from '../link.ts'
import { hashOf } from './places.ts'
import type { DataPlace } from './data-place.ts'
import { READ_COLUMNS, recordOf } from './record-rows.ts'

/** Bytes of vectors per fetched page. */
const PAGE_BYTES = 8_000_000

/** The rows with the greatest cosine similarity: found by the server if it has vector operators and all vectors in their column, otherwise compared here. */
export async function findNearest(place: DataPlace, space: string, asked: NearestAsked): Promise<RankedRow[]> {
  const found = place.hasVectorType ? await findThere(place, space, asked) : undefined
  return found ?? findHere(place, space, asked)
}

function scopeOf(space: string, { collection, now, vector }: NearestAsked): { where: string; values: unknown[] } {
  const [column, hash] = collection === undefined ? ['space', hashOf(space)] : ['place', hashOf(space, collection)]
  return {
    where: `${column} = $1 AND (expires_at IS NULL OR expires_at > $2) AND dimensions = $3`,
    values: [hash, now, vector.length],
  }
}

/** `undefined` if some rows were written before the server had the vector type: then it cannot determine which are nearest. */
async function findThere(place: DataPlace, space: string, asked: NearestAsked): Promise<RankedRow[] | undefined> {
  const { link, sealing } = place
  const { where, values } = scopeOf(space, asked)
  const table = link.table('records')
  const older = `SELECT EXISTS (SELECT FROM ${table} WHERE ${where} AND embedding IS NULL) AS older`
  if ((await link.query(older, values)).rows[0]?.['older'] === true) return undefined
  const sql = `SELECT ${READ_COLUMNS}, 1 - (embedding <=> $4::real[]::vector) AS score FROM ${table} WHERE ${where}
    ORDER BY embedding <=> $4::real[]::vector, number LIMIT $5`
  const { rows } = await link.query(sql, [...values, [...asked.vector], asked.limit])
  return Promise.all(
    rows.map(async (row) => ({ row: await recordOf(row, space, sealing), score: Number(row['score']) })),
  )
}

/** Exact: every vector is fetched and compared. Only the best rows are read completely. */
async function findHere(place: DataPlace, space: string, asked: NearestAsked): Promise<RankedRow[]> {
  const { link, sealing } = place
  const { where, values } = scopeOf(space, asked)
  // As base64, which is a third shorter than the driver's hex; names are needed only to decrypt vectors.
  const names = sealing.isSealing ? ', collection, key' : ''
  const sql = `SELECT number, encode(vector, 'base64') AS vector${names} FROM ${link.table('records')} WHERE ${where} AND number > $4
    ORDER BY number LIMIT $5`
  const size = Math.max(1, Math.floor(PAGE_BYTES / (asked.vector.length * 4)))
  const best = new Best<string>(asked.limit)
  for (let after: unknown = 0; ;) {
    const { rows } = await link.query(sql, [...values, after, size])
    for (const row of rows) best.offer(row['number'] as string, dot(asked.vector, await vectorOf(place, space, row)))
    if (rows.length < size) break
    after = rows.at(-1)!['number']
  }
  return winners(place, space, best.list())
}

async function vectorOf({ sealing }: DataPlace, space: string, row: Row): Promise<Float32Array> {
  const stored: Uint8Array = Buffer.from(row['vector'] as string, 'base64')
  const bytes = sealing.isSealing
    ? await sealing.revealBytes(
        placeOf(
          'vectors',
          space,
          JSON.parse(row['collection'] as string) as string,
          JSON.parse(row['key'] as string) as string,
        ),
        stored,
      )
    : stored
  // Copied if it is not aligned to four bytes.
  const whole = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes)
  return new Float32Array(whole.buffer, whole.byteOffset, whole.byteLength >> 2)
}

async function winners(
  { link, sealing }: DataPlace,
  space: string,
  list: readonly { readonly item: string; readonly score: number }[],
): Promise<RankedRow[]> {
  const sql = `SELECT ${READ_COLUMNS} FROM ${link.table('records')} WHERE number = ANY($1::bigint[]) AND space = $2`
  const { rows } = await link.query(sql, [list.map(({ item }) => item), hashOf(space)])
  const byNumber = new Map(rows.map((row) => [row['number'] as string, row]))
  const ranked: RankedRow[] = []
  for (const { item, score } of list) {
    const row = byNumber.get(item)
    // A row that was deleted or replaced in the meantime is left out.
    if (row !== undefined) ranked.push({ row: await recordOf(row, space, sealing), score })
  }
  return ranked
}
