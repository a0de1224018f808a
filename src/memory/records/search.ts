import type { Condition } from '../query.ts'
import { meets } from '../query.ts'
import { askedWords, textOf, wordList } from '../words.ts'
import type { RankedRow } from './port.ts'
import { Best, WordRanking, fuse } from './rank.ts'
import type { OpenRow, RecordSpace } from './space.ts'
import { dot, unitVector } from './vector.ts'

interface SearchAsked {
  readonly text: string
  readonly vector?: readonly number[] | Float32Array | undefined
  readonly collection?: string | undefined
  readonly conditions: readonly Condition[]
  readonly limit: number
  readonly minSimilarity?: number | undefined
  /** Whether keys are searched too. */
  readonly areKeysFound: boolean
}

interface Hit {
  readonly row: OpenRow
  readonly score: number
  readonly similarity?: number | undefined
}

/** How many items of each ranking are merged: an item at the top of one may be far down in the other. */
const POOL = { times: 4, min: 50 }
/** The maximum number of items requested from a store at a time. */
const LIMIT_MAX = 10_000

/** Records that contain the words, or are similar to the vector, or, with both, the merged rankings. */
export async function searchRecords(space: RecordSpace, asked: SearchAsked): Promise<readonly Hit[]> {
  const limit = Math.min(Math.max(0, Math.floor(asked.limit)), LIMIT_MAX)
  const words = askedWords(asked.text)
  const vector = asked.vector === undefined ? undefined : unitVector(asked.vector)
  if (limit === 0) return []
  if (vector === undefined) return words.length === 0 ? [] : findByWords(space, asked, words, limit)
  if (words.length === 0) {
    const { minSimilarity = -Infinity } = asked
    const hits = await findByVector(space, asked, vector, limit)
    return hits.filter(({ score }) => score >= minSimilarity)
  }
  const pool = Math.max(limit * POOL.times, POOL.min)
  const rankings = [
    await findByVector(space, asked, vector, pool),
    await findByWords(space, asked, words, pool),
  ] as const
  const joined = fuse(rankings, ({ row }) => JSON.stringify([row.collection, row.key]))
  return joined.slice(0, limit).map(({ item, score }) => ({ ...item, score }))
}

async function findByWords(
  space: RecordSpace,
  asked: SearchAsked,
  words: readonly string[],
  limit: number,
): Promise<readonly Hit[]> {
  const { port, name, isIndexed, clock } = space
  if (isIndexed && port.matchWords !== undefined) {
    const { collection } = asked
    return fitting(space, asked, limit, (most) =>
      port.matchWords!(name, { now: clock.now(), words, collection, limit: most }),
    )
  }
  const ranking = new WordRanking<OpenRow>(words)
  for await (const row of space.rows(asked.conditions, { collection: asked.collection })) {
    const text = textOf(row.value)
    ranking.add(row, wordList(asked.areKeysFound ? `${row.key} ${text}` : text))
  }
  return ranking.best(limit).map(({ item, score }) => ({ row: item, score }))
}

async function findByVector(
  space: RecordSpace,
  asked: SearchAsked,
  vector: Float32Array,
  limit: number,
): Promise<readonly Hit[]> {
  const { port, name, isIndexed, clock } = space
  const { collection, conditions } = asked
  if (isIndexed && port.nearest !== undefined) {
    const hits = await fitting(space, asked, limit, (most) =>
      port.nearest!(name, { now: clock.now(), vector, collection, limit: most }),
    )
    return hits.map(({ row, score }) => ({ row, score, similarity: score }))
  }
  const best = new Best<OpenRow>(limit)
  for await (const row of space.rows(conditions, { collection }))
    if (row.vector?.length === vector.length) best.offer(row, dot(vector, row.vector))
  return best.list().map(({ item, score }) => ({ row: item, score, similarity: score }))
}

/** As many as requested that match the conditions: a store that does not evaluate conditions is queried for more until there are enough. */
async function fitting(
  space: RecordSpace,
  { conditions }: SearchAsked,
  limit: number,
  find: (most: number) => Promise<readonly RankedRow[]>,
): Promise<readonly Hit[]> {
  for (let most = limit; ; most *= POOL.times) {
    const ranked = await find(most)
    const hits: Hit[] = []
    for (const { row, score } of ranked) {
      const open = await space.open(row)
      if (meets(open.value, conditions)) hits.push({ row: open, score })
    }
    if (hits.length >= limit || ranked.length < most) return hits.slice(0, limit)
  }
}
