import { checkFields } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import type { DatabaseClient, DatabaseQuery, DatabaseQueryOptions, MemoryClient } from './clients.ts'

interface HydrateOptions extends DatabaseQueryOptions {
  readonly collection: string
  /** All records of the collection by default. */
  readonly query?: DatabaseQuery | undefined
  /** The stream to fill; named like the collection by default. */
  readonly streamKey?: string | undefined
}

const HYDRATE_OPTIONS: FieldNames<HydrateOptions> = {
  limit: 'number',
  offset: true,
  orderBy: 'text',
  descending: 'flag',
  collection: 'text',
  query: 'object',
  streamKey: 'text',
}

/**
 * Fills short-term memory from stored records: the value of each becomes an entry. Returns their number.
 *
 * @example
 * ```ts
 * import { hydrate, inMemory, inMemoryDatabase } from 'mandate/memory'
 * const memory = inMemory()
 * await hydrate(memory, inMemoryDatabase(), { collection: 'notes', limit: 20, orderBy: 'at' })
 * ```
 */
export async function hydrate(
  memory: MemoryClient,
  database: DatabaseClient,
  options: HydrateOptions,
): Promise<number> {
  checkFields(options, 'an option of `hydrate`', HYDRATE_OPTIONS)
  const { collection, query = {}, streamKey = collection, ...rest } = options
  const records = await database.query(collection, query, rest)
  for (const record of records) await memory.append(streamKey, record.value)
  return records.length
}
