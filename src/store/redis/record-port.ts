import type { CollectionSize, RecordPort, ScanFilter, StoredRow, TrimAsked, Trimmed } from '../../memory/index.ts'
import { placeOf } from '../encryption/index.ts'
import { ConnectionRef } from '../shared-connection.ts'
import type { DataLink } from './data-link.ts'
import type { DataPlace } from './record-rows.ts'
import { hashOf } from './link.ts'
import type { Reply } from './link.ts'
import { keptOf, readRecords, recordKey, rowArgs } from './record-rows.ts'
import { CLEAR_PLACE, COLLECTIONS, DELETE_ROW, PUT_IF, TRIM } from './record-scripts.ts'
import { findNearest, matchWords } from './searches.ts'

const PAGE_ROWS = 500

/** Records in Redis. Without a plain full-text index it returns no matches: then records are decrypted and scanned. */
export function recordPort(data: DataLink, isAlone: boolean, hasWords: boolean): RecordPort {
  const line = new ConnectionRef(data, isAlone)
  const run = (script: string, place: DataPlace, space: string, args: readonly string[]): Promise<Reply> =>
    place.link.run(script, [place.link.options.prefix, hashOf(space), ...args])
  return {
    put: (space, rows) => line.use(() => data.put(space, rows)),
    putIf: (space, row, before) =>
      line.use(async (place) => {
        const expected = await expectedCell(place, space, row, before)
        if (expected === undefined) return false
        return (await run(PUT_IF, place, space, [...rowArgs(space, row, place.sealing), ...expected])) === 1
      }),
    get: (space, collection, key) =>
      line.use(async (place) => (await readRecords(place, space, [hashOf(space, collection, key)]))[0]),
    delete: (space, collection, key, now) =>
      line.use(async (place) => {
        const args = [hashOf(space, collection, key), String(now)]
        return (await run(DELETE_ROW, place, space, args)) === 1
      }),
    clear: (space, collection) =>
      line.use(async (place) => Number(await run(CLEAR_PLACE, place, space, [hashOf(space, collection)]))),
    async *scan(space, filter) {
      if (filter.newest !== undefined) yield await line.use((place) => newestRows(place, space, filter))
      else
        for (let after: string | undefined = '0'; after !== undefined;) {
          const from: string = after
          const page = await line.use((place) => readPage(place, space, filter, from))
          yield page.rows
          after = page.after
        }
    },
    collections: (space) =>
      line.use(async (place) => sizesOf((await run(COLLECTIONS, place, space, [])) as readonly Reply[])),
    trim: (space, asked) => line.use(async (place) => trimmedOf(await run(TRIM, place, space, trimArgs(space, asked)))),
    ...(hasWords ? { matchWords: (space, asked) => line.use((place) => matchWords(place, space, asked)) } : {}),
    nearest: (space, asked) => line.use((place) => findNearest(place, space, asked)),
    close: () => line.close(),
  }
}

/** The current cell if it has the expected text; `undefined` otherwise. Encrypted texts can only be compared here. */
async function expectedCell(
  { link, sealing }: DataPlace,
  space: string,
  { collection, key }: StoredRow,
  before: string | undefined,
): Promise<readonly [isThere: string, cell: string] | undefined> {
  if (before === undefined) return ['', '']
  if (!sealing.isSealing) return ['1', before]
  const cell = await link.ask('HGET', recordKey(link, hashOf(space, collection, key)), 'text')
  if (typeof cell !== 'string') return undefined
  const text = await sealing.reveal(placeOf('records', space, collection, key), keptOf(cell))
  return text === before ? ['1', cell] : undefined
}

function orderKey({ link }: DataPlace, space: string, collection: string | undefined): string {
  return collection === undefined ? link.key('o', hashOf(space)) : link.key('p', hashOf(space, collection))
}

function isLive(row: StoredRow | undefined, now: number): row is StoredRow {
  return row !== undefined && (row.expiresAt === undefined || row.expiresAt > now)
}

async function readPage(
  place: DataPlace,
  space: string,
  { collection, now }: ScanFilter,
  after: string,
): Promise<{ readonly rows: readonly StoredRow[]; readonly after: string | undefined }> {
  const from = orderKey(place, space, collection)
  const found = (await place.link.ask(
    ...['ZRANGEBYSCORE', from, `(${after}`, '+inf', 'WITHSCORES', 'LIMIT', '0', String(PAGE_ROWS)],
  )) as readonly string[]
  const ids = found.filter((_, index) => index % 2 === 0)
  const rows = (await readRecords(place, space, ids)).filter((row) => isLive(row, now))
  return { rows, after: ids.length < PAGE_ROWS ? undefined : found.at(-1) }
}

/** Reads from the end, page by page, until there are enough unexpired records. */
async function newestRows(place: DataPlace, space: string, filter: ScanFilter): Promise<StoredRow[]> {
  const { collection, now, newest = 0 } = filter
  const from = orderKey(place, space, collection)
  const rows: StoredRow[] = []
  for (let at = 0; rows.length < newest; at += PAGE_ROWS) {
    const ids = (await place.link.ask('ZREVRANGE', from, String(at), String(at + PAGE_ROWS - 1))) as readonly string[]
    rows.push(...(await readRecords(place, space, ids)).filter((row) => isLive(row, now)))
    if (ids.length < PAGE_ROWS) break
  }
  return rows.slice(0, Math.max(0, Math.floor(newest))).toReversed()
}

function sizesOf(found: readonly Reply[]): CollectionSize[] {
  const sizes = found.map((entry) => {
    const [name, count, bytes] = entry as readonly Reply[]
    return { collection: JSON.parse(String(name)) as string, count: Number(count), bytes: Number(bytes) }
  })
  return sizes.sort((a, b) => (a.collection < b.collection ? -1 : 1))
}

function trimArgs(space: string, { now, collection, before, maxCount, maxBytes }: TrimAsked): string[] {
  const limit = (value: number | undefined): string => (value === undefined || value === Infinity ? '' : String(value))
  return [
    collection === undefined ? '' : hashOf(space, collection),
    String(now),
    limit(before),
    limit(maxCount),
    limit(maxBytes),
  ]
}

function trimmedOf(reply: Reply): Trimmed {
  const [count, bytes] = reply as readonly Reply[]
  return { count: Number(count), bytes: Number(bytes) }
}
