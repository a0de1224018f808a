import type { DatabaseClient, DatabaseRecord } from '../clients.ts'
import { compareJson, conditionsOf, fieldOf } from '../query.ts'
import type { RecordPort } from './port.ts'
import { searchRecords } from './search.ts'
import { type RecordOptions, RecordSpace } from './space.ts'

/** A database that can do everything the contract says. */
export type WholeDatabase = Required<Omit<DatabaseClient, 'labels'>>

/**
 * Long-term memory over a store: whoever writes a store writes the port, and gets the database.
 *
 * @example
 * ```ts
 * import { databaseOver } from 'mandate/memory'
 * import type { RecordPort } from 'mandate/memory'
 * declare const port: RecordPort
 * const database = databaseOver(port, { namespace: 'tenant-1', maxCount: 100_000 })
 * await database.write('notes', 'n1', { text: 'Buy milk' }, { ttlMs: 86_400_000 })
 * ```
 */
export function databaseOver(port: RecordPort, options: RecordOptions = {}): WholeDatabase {
  const space = new RecordSpace(port, 'database', options)
  return {
    write: (collection, key, value, given = {}) => space.put(collection, [{ ...given, key, value, isKeyFound: true }]),
    writeIf: (collection, key, value, { expected, ...given }) =>
      space.putIf(collection, { ...given, key, value, isKeyFound: true }, expected),
    writeMany: (collection, entries) =>
      space.put(
        collection,
        entries.map((entry) => ({ ...entry, isKeyFound: true })),
      ),
    async read(collection, key) {
      return (await space.get(collection, key))?.value ?? null
    },
    async query(collection, query, { limit, offset = 0, orderBy, descending } = {}) {
      const sign = descending === true ? -1 : 1
      const field = ({ value }: DatabaseRecord) => (orderBy === undefined ? undefined : fieldOf(value, orderBy))
      const found: DatabaseRecord[] = []
      for await (const { key, value } of space.rows(conditionsOf(query), { collection })) found.push({ key, value })
      found.sort((a, b) => sign * (compareJson(field(a), field(b)) || compareJson(a.key, b.key)))
      const from = Math.max(offset, 0)
      return found.slice(from, limit === undefined ? undefined : from + Math.max(limit, 0))
    },
    async search(text, { topK = 10, query = {}, ...rest } = {}) {
      const asked = { ...rest, text, conditions: conditionsOf(query), limit: topK, areKeysFound: true }
      return (await searchRecords(space, asked)).map(({ row: { collection, key, value }, score, similarity }) => ({
        collection,
        key,
        value,
        score,
        ...(similarity === undefined ? {} : { similarity }),
      }))
    },
    delete: (collection, key) => space.delete(collection, key),
    clear: (collection) => space.clear(collection),
    collections: () => space.collections(),
    trim: async (limits) => space.trim(limits),
    close: () => space.close(),
  }
}
