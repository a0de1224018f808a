import { MandateError, checkNumbers, checkCount, checkFields } from '../../core/index.ts'
import type { DatabaseClient, DatabaseRecord } from '../clients.ts'
import { conditionsOf } from '../query.ts'
import type { RecordPort } from './port.ts'
import { Selection } from './selection.ts'
import { searchRecords } from './search.ts'
import { CALL_OPTIONS, TRIM_NUMBERS, checkSimilarity } from './call-options.ts'
import { RECORD_OPTIONS, type RecordOptions, RecordSpace } from './space.ts'

/** A database with all optional operations. */
export type WholeDatabase = Required<Omit<DatabaseClient, 'labels'>> & Pick<DatabaseClient, 'labels'>

/**
 * Creates a database over a port of a store.
 *
 * @example
 * ```ts
 * import { databaseOver } from 'mandate/kit'
 * import type { RecordPort } from 'mandate/kit'
 * declare const port: RecordPort
 * const database = databaseOver(port, { namespace: 'tenant-1', maxCount: 100_000 })
 * await database.write('notes', 'n1', { text: 'Buy milk' }, { ttlMs: 86_400_000 })
 * ```
 */
export function databaseOver(port: RecordPort, options: RecordOptions = {}): WholeDatabase {
  checkFields(options, 'an option of a database', RECORD_OPTIONS)
  const space = new RecordSpace(port, 'database', options)
  return {
    ...(options.labels === undefined ? {} : { labels: options.labels }),
    async write(collection, key, value, given = {}) {
      checkFields(given, 'an option of `write`', CALL_OPTIONS.write)
      checkNamed(collection, key)
      await space.put(collection, [{ ...given, key, value, isKeyFound: true }])
    },
    async writeIf(collection, key, value, given) {
      checkFields(given, 'an option of `writeIf`', CALL_OPTIONS.writeIf)
      checkNamed(collection, key)
      const { expected, ...rest } = given
      return space.putIf(collection, { ...rest, key, value, isKeyFound: true }, expected)
    },
    async writeMany(collection, entries) {
      for (const entry of entries) {
        checkFields(entry, 'a field of an entry of `writeMany`', CALL_OPTIONS.writeMany)
        checkNamed(collection, entry.key)
      }
      await space.put(
        collection,
        entries.map((entry) => ({ ...entry, isKeyFound: true })),
      )
    },
    async read(collection, key) {
      return (await space.get(collection, key))?.value ?? null
    },
    async query(collection, query, given = {}) {
      checkFields(given, 'an option of `query`', CALL_OPTIONS.query)
      checkCount(given.limit, '`limit`')
      checkCount(given.offset, '`offset`')
      const conditions = conditionsOf(query)
      const answer = await space.query(collection, conditions, given)
      if (answer !== undefined) return answer.map(({ key, value }) => ({ key, value }))
      const found = new Selection<DatabaseRecord>(given)
      for await (const { key, value } of space.rows(conditions, { collection })) found.add({ key, value }, key, value)
      return found.list()
    },
    async search(text, given = {}) {
      checkFields(given, 'an option of `search`', CALL_OPTIONS.searchDatabase)
      checkNumbers(given, 'an option of `search`', { topK: 'count' }, 'INPUT_INVALID')
      checkSimilarity(given.minSimilarity)
      const { topK = 10, query = {}, ...rest } = given
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
    async trim(limits) {
      checkFields(limits, 'a limit of `trim`', CALL_OPTIONS.trim)
      checkNumbers(limits, 'a limit of `trim`', TRIM_NUMBERS)
      return space.trim(limits)
    },
    close: () => space.close(),
  }
}

/** What is kept under no name would not be found on purpose. */
function checkNamed(collection: string, key: string): void {
  if (collection === '' || key === '')
    throw new MandateError('INPUT_INVALID', `The ${key === '' ? 'key' : 'collection'} is empty. Give it a name.`)
}
