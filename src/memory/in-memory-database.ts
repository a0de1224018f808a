import { type WholeDatabase, databaseOver } from './records/database.ts'
import { mapPort } from './records/map-port.ts'
import type { RecordOptions } from './records/space.ts'

type InMemoryDatabaseOptions = Pick<RecordOptions, 'clock' | 'maxCount' | 'maxBytes' | 'labels'>

/**
 * Creates a database in the memory of this process: for tests, examples and caches.
 *
 * @example
 * ```ts
 * import { inMemoryDatabase } from 'mandate/memory'
 * const database = inMemoryDatabase()
 * await database.write('users', 'ada', { name: 'Ada', visits: 3 })
 * await database.query('users', { visits: { $gte: 2 } }, { orderBy: 'name' })
 * ```
 */
export function inMemoryDatabase(options: InMemoryDatabaseOptions = {}): WholeDatabase {
  return databaseOver(mapPort(), options)
}
