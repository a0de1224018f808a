import type { DatabaseClient, DatabaseRecord } from './clients.ts'
import { fromText, jsonText } from './json-text.ts'
import { compareJson, fieldOf, matchesQuery } from './query.ts'
import { scoreWords, wordsOf } from './words.ts'

/**
 * Long-term memory that lives only in this process: for tests, examples and caches.
 *
 * @example
 * ```ts
 * import { inMemoryDatabase } from 'mandate/memory'
 * const database = inMemoryDatabase()
 * await database.write('users', 'ada', { name: 'Ada', visits: 3 })
 * await database.query('users', { visits: { $gte: 2 } }, { orderBy: 'name' })
 * ```
 */
export function inMemoryDatabase(): Required<Omit<DatabaseClient, 'labels'>> {
  const collections = new Map<string, Map<string, string>>()
  const records = (collection: string): DatabaseRecord[] =>
    [...(collections.get(collection) ?? [])].map(([key, text]) => ({ key, value: fromText(text) }))
  return {
    async write(collection, key, value) {
      const text = jsonText(value, `The value for "${collection}/${key}"`)
      collections.set(collection, (collections.get(collection) ?? new Map()).set(key, text))
    },
    async read(collection, key) {
      const text = collections.get(collection)?.get(key)
      return text === undefined ? null : fromText(text)
    },
    async query(collection, query, { limit, offset = 0, orderBy, descending } = {}) {
      const sign = descending === true ? -1 : 1
      const field = (record: DatabaseRecord) => (orderBy === undefined ? undefined : fieldOf(record.value, orderBy))
      const found = records(collection)
        .filter((record) => matchesQuery(record.value, query))
        .sort((a, b) => sign * (compareJson(field(a), field(b)) || compareJson(a.key, b.key)))
      return found.slice(offset, limit === undefined ? undefined : offset + Math.max(limit, 0))
    },
    async search(text, { topK = 10 } = {}) {
      const words = wordsOf(text)
      const hits = [...collections].flatMap(([collection, values]) =>
        [...values].map(([key, stored]) => ({ collection, key, stored, score: scoreWords(words, `${key} ${stored}`) })),
      )
      return hits
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || compareJson(a.key, b.key))
        .slice(0, Math.max(topK, 0))
        .map(({ collection, key, stored, score }) => ({ collection, key, value: fromText(stored), score }))
    },
    async delete(collection, key) {
      return collections.get(collection)?.delete(key) ?? false
    },
  }
}
