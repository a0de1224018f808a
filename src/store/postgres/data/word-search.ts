import type { RankedRow, WordsAsked } from '../../../memory/index.ts'
import type { DataPlace } from './data-place.ts'
import { hashOf } from './places.ts'
import { READ_COLUMNS, recordOf } from './record-rows.ts'
import { WORD_BYTES_MAX, quoted } from './words-column.ts'

/** From here on a word finds longer ones that begin with it. */
const BEGINNING_MIN = 3

/**
 * Rows that hold any of the words. Rare words say more than common ones, one more occurrence of the same word less than the first, and long texts less
 * than short ones: as in BM25, with the server's own measure of how often a word occurs.
 */
export async function matchWords(place: DataPlace, space: string, asked: WordsAsked): Promise<RankedRow[]> {
  const words = asked.words.filter((word) => Buffer.byteLength(word) <= WORD_BYTES_MAX)
  if (words.length === 0) return []
  const { link, vault } = place
  const queries = words.map((word) => `${quoted(word)}${word.length >= BEGINNING_MIN ? ':*' : ''}`)
  const table = link.table('records')
  const [column, where] =
    asked.collection === undefined ? ['space', hashOf(space)] : ['place', hashOf(space, asked.collection)]
  const live = `${column} = $1 AND (expires_at IS NULL OR expires_at > $2)`
  const sql = `WITH size AS (SELECT count(*) AS rows FROM ${table} WHERE ${live} AND words IS NOT NULL),
    asked AS (
      SELECT q::tsquery AS query, ln(1 + (size.rows - found.rows + 0.5) / (found.rows + 0.5)) AS rarity
      FROM size, unnest($3::text[]) AS q, LATERAL (SELECT count(*) AS rows FROM ${table} WHERE ${live} AND words @@ q::tsquery) AS found
    )
    SELECT ${READ_COLUMNS}, score.sum AS score FROM ${table}, LATERAL (
      SELECT sum(rarity * ts_rank(words, query) / (1 + ln(1 + length))) AS sum FROM asked WHERE words @@ query
    ) AS score
    WHERE ${live} AND words @@ $4::tsquery ORDER BY score.sum DESC, number DESC LIMIT $5`
  const values = [where, asked.now, queries, queries.join(' | '), asked.limit]
  const { rows } = await link.query(sql, values)
  return Promise.all(
    rows.map(async (row) => ({ row: await recordOf(row, space, vault), score: row['score'] as number })),
  )
}
