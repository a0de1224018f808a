import type { CollectionSize, Trimmed } from '../clients.ts'
import type { RecordPort, ScanFilter, StoredRow, TrimAsked } from './port.ts'

interface Held {
  readonly collections: Map<string, Map<string, StoredRow>>
  /** In the order of writing, which maps preserve. */
  readonly all: Map<StoredRow, Map<string, StoredRow>>
  bytes: number
  /** The number of rows that can expire. */
  expiring: number
}

/** A port in the memory of this process. It has no indexes: all rows are scanned. */
export function mapPort(): RecordPort {
  const spaces = new Map<string, Held>()
  const held = (space: string): Held => {
    const known = spaces.get(space) ?? { collections: new Map(), all: new Map(), bytes: 0, expiring: 0 }
    spaces.set(space, known)
    return known
  }
  return {
    async put(space, rows) {
      for (const row of rows) store(held(space), row)
    },
    async putIf(space, row, before) {
      const found = held(space).collections.get(row.collection)?.get(row.key)
      const isSame = found !== undefined && isLive(found, row.at) ? found.text === before : before === undefined
      if (isSame) store(held(space), row)
      return isSame
    },
    async get(space, collection, key) {
      return held(space).collections.get(collection)?.get(key)
    },
    async delete(space, collection, key, now) {
      const row = held(space).collections.get(collection)?.get(key)
      remove(held(space), row)
      return row !== undefined && isLive(row, now)
    },
    async clear(space, collection) {
      const rows = [...(held(space).collections.get(collection)?.values() ?? [])]
      for (const row of rows) remove(held(space), row)
      return rows.length
    },
    async *scan(space, filter) {
      yield scanned(held(space), filter)
    },
    async collections(space) {
      return [...held(space).collections].map(sizeOf).sort((a, b) => (a.collection < b.collection ? -1 : 1))
    },
    async trim(space, asked) {
      return trimmed(held(space), asked)
    },
    async close() {},
  }
}

function isLive(row: StoredRow, now: number): boolean {
  return row.expiresAt === undefined || row.expiresAt > now
}

function store(held: Held, row: StoredRow): void {
  remove(held, held.collections.get(row.collection)?.get(row.key))
  const collection = held.collections.get(row.collection) ?? new Map<string, StoredRow>()
  held.collections.set(row.collection, collection.set(row.key, row))
  held.all.set(row, collection)
  held.bytes += row.text.length
  if (row.expiresAt !== undefined) held.expiring += 1
}

function remove(held: Held, row: StoredRow | undefined): void {
  const collection = row && held.all.get(row)
  if (row === undefined || collection === undefined) return
  held.all.delete(row)
  held.bytes -= row.text.length
  if (row.expiresAt !== undefined) held.expiring -= 1
  collection.delete(row.key)
  if (collection.size === 0) held.collections.delete(row.collection)
}

function scanned(held: Held, { collection, newest, now }: ScanFilter): readonly StoredRow[] {
  const rows = collection === undefined ? held.all.keys() : (held.collections.get(collection)?.values() ?? [])
  const live = [...rows].filter((row) => isLive(row, now))
  return newest === undefined ? live : newest <= 0 ? [] : live.slice(-newest)
}

function sizeOf([collection, rows]: readonly [string, ReadonlyMap<string, StoredRow>]): CollectionSize {
  let bytes = 0
  for (const row of rows.values()) bytes += row.text.length
  return { collection, count: rows.size, bytes }
}

function trimmed(
  held: Held,
  { collection, now, before, maxCount = Infinity, maxBytes = Infinity }: TrimAsked,
): Trimmed {
  const rows = (): Iterable<StoredRow> =>
    collection === undefined ? held.all.keys() : (held.collections.get(collection)?.values() ?? [])
  const left = collection === undefined ? { count: held.all.size, bytes: held.bytes } : sizeIn(held, collection)
  const gone = { count: 0, bytes: 0 }
  const drop = (row: StoredRow): void => {
    remove(held, row)
    gone.count += 1
    gone.bytes += row.text.length
  }
  // Called after every write if there are limits: rows are scanned only if some may be too old.
  if (before !== undefined || held.expiring > 0)
    for (const row of rows()) if (!isLive(row, now) || row.at < (before ?? -Infinity)) drop(row)
  for (const row of rows()) {
    if (left.count - gone.count <= maxCount && left.bytes - gone.bytes <= maxBytes) break
    drop(row)
  }
  return gone
}

function sizeIn(held: Held, collection: string): CollectionSize {
  return sizeOf([collection, held.collections.get(collection) ?? new Map<string, StoredRow>()])
}
