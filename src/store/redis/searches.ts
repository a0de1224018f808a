import { Best, dot } from '../../memory/index.ts'
import type { NearestAsked, RankedRow, WordsAsked } from '../../memory/index.ts'
import { placeOf } from '../encryption/index.ts'
import type { DataPlace } from './record-rows.ts'
import { hashOf } from './link.ts'
import { readRecords, recordKey } from './record-rows.ts'
import { MATCH_WORDS } from './record-scripts.ts'

/** From this length on a word also matches longer words that begin with it. */
const BEGINNING_MIN = 3
const PAGE = '1000'

/** Searches the full-text index beside the records; the server ranks in one script, and does nothing else meanwhile. */
export async function matchWords(place: DataPlace, space: string, asked: WordsAsked): Promise<RankedRow[]> {
  const { link } = place
  const words = asked.words.flatMap((word) => [word, word.length >= BEGINNING_MIN ? '1' : ''])
  const where = asked.collection === undefined ? '' : hashOf(space, asked.collection)
  const found = (await link.run(MATCH_WORDS, [
    ...[link.options.prefix, hashOf(space), where, String(asked.now), String(asked.limit)],
    ...words,
  ])) as readonly string[]
  const ids = found.filter((_, index) => index % 2 === 0)
  return ranked(place, space, ids, (index) => Number(found[index * 2 + 1]))
}

async function ranked(
  place: DataPlace,
  space: string,
  ids: readonly string[],
  scoreAt: (index: number) => number,
): Promise<RankedRow[]> {
  const rows = await readRecords(place, space, ids)
  // A record that was deleted in the meantime is left out.
  return rows.flatMap((row, index) => (row === undefined ? [] : [{ row, score: scoreAt(index) }]))
}

/** Exact: every vector of that length is fetched and compared here, because plain Redis has no vector operators. */
export async function findNearest(place: DataPlace, space: string, asked: NearestAsked): Promise<RankedRow[]> {
  const { link } = place
  const from = link.key('v', hashOf(space), String(asked.vector.length))
  const where = asked.collection === undefined ? undefined : hashOf(space, asked.collection)
  const best = new Best<string>(asked.limit)
  // A scan of a hash that changes may return the same entry twice.
  const seen = new Set<string>()
  let cursor = '0'
  do {
    const [next, page] = (await link.ask('HSCAN', from, cursor, 'COUNT', PAGE)) as readonly [string, readonly string[]]
    cursor = next
    for (let index = 0; index < page.length; index += 2) {
      const id = page[index]!
      const [at, end, text] = page[index + 1]!.split(' ') as [string, string, string]
      if (seen.has(id) || (where !== undefined && at !== where) || (end !== '-' && Number(end) <= asked.now)) continue
      seen.add(id)
      best.offer(id, dot(asked.vector, await vectorOf(place, space, id, text)))
    }
  } while (cursor !== '0')
  const list = best.list()
  return ranked(
    place,
    space,
    list.map(({ item }) => item),
    (index) => list[index]!.score,
  )
}

async function vectorOf({ link, sealing }: DataPlace, space: string, id: string, text: string): Promise<Float32Array> {
  let bytes: Uint8Array = Buffer.from(text, 'base64')
  if (sealing.isSealing) {
    const names = (await link.ask('HMGET', recordKey(link, id), 'collection', 'key')) as readonly (string | null)[]
    const [collection, key] = names.map((name) => JSON.parse(name ?? '""') as string) as [string, string]
    bytes = await sealing.revealBytes(placeOf('vectors', space, collection, key), bytes)
  }
  // Copied, because a buffer is rarely aligned to four bytes.
  return new Float32Array(Uint8Array.from(bytes).buffer)
}
