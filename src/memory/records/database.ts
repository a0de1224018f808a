import type { DatabaseClient, DatabaseRecord } from '../clients.ts'
import { conditionsOf } from '../query.ts'
import type { RecordPort } from './port.ts'
import { Selection } from './selection.ts'
import { searchRecords } from './search.ts'
import { type RecordOptions, RecordSpace } from './space.ts'

/** A database that can do everything the contract says. */
export type WholeDatabase = Required<Omit<DatabaseClient, 'labels'>> & Pick<DatabaseClient, 'labels'>

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
    ...(options.labels === undefined ? {} : { labels: options.labels }),
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
    async query(collection, query, given = {}) {
      const conditions = conditionsOf(query)
      const answer = await space.query(collection, conditions, given)
      if (answer !== undefined) return answer.map(({ key, value }) => ({ key, value }))
      const found = new Selection<DatabaseRecord>(given)
      for await (const { key, value } of space.rows(conditions, { collection })) found.add({ key, value }, key, value)
      return found.list()
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
