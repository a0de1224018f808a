import type { RankedRow, WordsAsked } from '../../../memory/index.ts'
import type { DataPlace } from './data-place.ts'
import { hashOf } from './places.ts'
import { READ_COLUMNS, recordOf } from './record-rows.ts'
import { WORD_BYTES_MAX, quoted } from './words-column.ts'

/** Up to this number records are counted exactly; beyond it the server's estimate is used. */
const COUNTED_MAX = 10_000
/** From this length on a word also matches longer words that begin with it. */
const BEGINNING_MIN = 3

/**
 * The rows that contain any of the words, ranked as in BM25: rare words count more than common ones, repetitions of a word less than its first
 * occurrence, and long texts less than short ones. Based on the word positions of the server's text search.
 */
export async function matchWords(place: DataPlace, space: string, asked: WordsAsked): Promise<RankedRow[]> {
  const words = asked.words.filter((word) => Buffer.byteLength(word) <= WORD_BYTES_MAX)
  if (words.length === 0) return []
  const { link, sealing } = place
  const queries = words.map((word) => `${quoted(word)}${word.length >= BEGINNING_MIN ? ':*' : ''}`)
  const table = link.table('records')
  const [column, where] =
    asked.collection === undefined ? ['space', hashOf(space)] : ['place', hashOf(space, asked.collection)]
  const live = `${column} = $1 AND (expires_at IS NULL OR expires_at > $2)`
  // Each step is materialized, in this order: otherwise the server would repeat the counts for every row.
  const sql = `WITH found AS MATERIALIZED (SELECT id, number, words, length FROM ${table} WHERE ${live} AND words @@ $4::tsquery),
    size AS MATERIALIZED (
      SELECT greatest((SELECT count(*) FROM (SELECT FROM ${table} WHERE ${live} LIMIT ${COUNTED_MAX}) AS counted), (SELECT count(*) FROM found),
        CASE WHEN EXISTS (SELECT FROM ${table} WHERE ${live} OFFSET ${COUNTED_MAX} LIMIT 1)
          THEN (SELECT reltuples FROM pg_class WHERE oid = to_regclass($6)) END) AS rows
    ),
    pairs AS MATERIALIZED (SELECT q AS word, id, number, ts_rank(words, q::tsquery) / (1 + ln(1 + length)) AS weight
      FROM found JOIN unnest($3::text[]) AS q ON words @@ q::tsquery),
    asked AS MATERIALIZED (
      SELECT word, ln(1 + (max(size.rows) - count(*) + 0.5) / (count(*) + 0.5)) AS rarity FROM pairs, size GROUP BY word
    ),
    best AS MATERIALIZED (
      SELECT id, number, sum(rarity * weight) AS score FROM pairs JOIN asked USING (word) GROUP BY id, number
      ORDER BY score DESC, number DESC LIMIT $5
    )
    SELECT ${READ_COLUMNS.split(', ')
      .map((name) => `r.${name}`)
      .join(', ')}, best.score FROM best JOIN ${table} AS r USING (id) ORDER BY best.score DESC, best.number DESC`
  const values = [where, asked.now, queries, queries.join(' | '), asked.limit, table]
  const { rows } = await link.query(sql, values)
  return Promise.all(
    rows.map(async (row) => ({ row: await recordOf(row, space, sealing), score: row['score'] as number })),
  )
}
