import type { StoredRow } from '../../memory/index.ts'
import { placeOf } from '../encryption/index.ts'
import { settle } from '../batcher.ts'
import type { Settled } from '../batcher.ts'
import type { Put } from '../ordered-puts.ts'
import type { KeptText, Sealing } from '../entry-cipher.ts'
import { hashOf } from './link.ts'
import type { RedisLink, Reply } from './link.ts'
import { PUT_ROWS } from './record-scripts.ts'

/** What readers and writers of the data keys use. */
export interface DataPlace {
  readonly link: RedisLink
  readonly sealing: Sealing
}

/** Writes a batch of puts in order; those for the same space in one step. */
export async function executePuts(place: DataPlace, puts: readonly Put[]): Promise<Settled<void>[]> {
  const { link, sealing } = place
  const answers = new Map<Put, Settled<void>>()
  for (const [space, group] of Map.groupBy(puts, (put) => put.space)) {
    const args = group.flatMap(({ rows }) => rows.flatMap((row) => rowArgs(space, row, sealing)))
    const answer = await settle(link.run(PUT_ROWS, [link.options.prefix, hashOf(space), ...args]).then(() => {}))
    for (const put of group) answers.set(put, answer)
  }
  return puts.map((put) => answers.get(put)!)
}

/** How long after its expiry Redis deletes a record; until then reads leave it out. */
const GRACE_MS = 60_000

/** A row as arguments of the scripts. */
export function rowArgs(space: string, row: StoredRow, sealing: Sealing): string[] {
  const { collection, key, vector, expiresAt, words = '' } = row
  const kept = sealing.keep(placeOf('records', space, collection, key), row.text)
  const life = expiresAt === undefined ? '' : String(Math.max(1, Math.ceil(expiresAt - row.at)) + GRACE_MS)
  return [
    hashOf(space, collection, key),
    hashOf(space, collection),
    JSON.stringify(collection),
    JSON.stringify(key),
    cellOf(kept),
    String(row.text.length),
    String(row.at),
    expiresAt === undefined ? '' : String(expiresAt),
    life,
    vector === undefined ? '' : vectorText(space, row, sealing),
    String(vector?.length ?? 0),
    countsOf(words),
    String(words === '' ? 0 : words.split(' ').length),
  ]
}

/** The words with the number of their occurrences. */
function countsOf(words: string): string {
  const counts = new Map<string, number>()
  for (const word of words === '' ? [] : words.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].map(([word, count]) => `${word} ${count}`).join(' ')
}

function vectorText(space: string, { collection, key, vector }: StoredRow, sealing: Sealing): string {
  const bytes = new Uint8Array(vector!.buffer, vector!.byteOffset, vector!.byteLength)
  return Buffer.from(sealing.keepBytes(placeOf('vectors', space, collection, key), bytes)).toString('base64')
}

/** The value of a field: plain JSON, or encrypted with a prefix with which no JSON begins. */
export function cellOf({ plain, sealed }: KeptText): string {
  return sealed === null ? (plain ?? '') : `~${Buffer.from(sealed).toString('base64')}`
}

export function keptOf(cell: string): KeptText {
  return cell.startsWith('~')
    ? { plain: null, sealed: Buffer.from(cell.slice(1), 'base64') }
    : { plain: cell, sealed: null }
}

const FIELDS = ['collection', 'key', 'text', 'at', 'end'] as const

/** The records with these ids; `undefined` for missing ones. */
export async function readRecords(
  { link, sealing }: DataPlace,
  space: string,
  ids: readonly string[],
): Promise<(StoredRow | undefined)[]> {
  const replies = await link.askAll(ids.map((id) => ['HMGET', recordKey(link, id), ...FIELDS]))
  return Promise.all(replies.map((reply) => recordOf(reply as readonly Reply[], space, sealing)))
}

export function recordKey(link: RedisLink, id: string): string {
  return link.key('r', id)
}

async function recordOf(fields: readonly Reply[], space: string, sealing: Sealing): Promise<StoredRow | undefined> {
  const [collectionText, keyText, cell, at, end] = fields.map((field) => (field === null ? undefined : String(field)))
  if (collectionText === undefined || keyText === undefined || cell === undefined) return undefined
  const collection = JSON.parse(collectionText) as string
  const key = JSON.parse(keyText) as string
  const text = (await sealing.reveal(placeOf('records', space, collection, key), keptOf(cell))) ?? 'null'
  const row = { collection, key, text, at: Number(at) }
  return end === undefined || end === '' ? row : { ...row, expiresAt: Number(end) }
}
