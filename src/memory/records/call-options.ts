import { MandateError } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type {
  DatabaseEntry,
  DatabaseQueryOptions,
  DatabaseSearchOptions,
  MemoryReadOptions,
  MemorySearchOptions,
  TrimLimits,
  WriteIfOptions,
  WriteOptions,
} from '../clients.ts'

const write: FieldNames<WriteOptions> = { ttlMs: true, vector: true }
const writeIf: FieldNames<WriteIfOptions> = { ...write, expected: true }
const writeMany: FieldNames<DatabaseEntry> = { ...write, key: true, value: true }
const query: FieldNames<DatabaseQueryOptions> = { limit: true, offset: true, orderBy: 'text', descending: 'flag' }
const searchDatabase: FieldNames<DatabaseSearchOptions> = {
  topK: true,
  collection: 'text',
  query: 'object',
  vector: true,
  minSimilarity: true,
}
const readMemory: FieldNames<MemoryReadOptions> = { limit: true }
const searchMemory: FieldNames<MemorySearchOptions> = { limit: true, streamKey: 'text', vector: true }
const trim: FieldNames<TrimLimits> = { collection: 'text', olderThanMs: true, maxCount: true, maxBytes: true }

/** The valid limits of `trim`. */
export const TRIM_NUMBERS = { olderThanMs: 'amount', maxCount: 'count', maxBytes: 'count' } as const

/** Throws unless a similarity is a cosine. */
export function checkSimilarity(value: unknown): void {
  if (value === undefined || (typeof value === 'number' && value >= -1 && value <= 1)) return
  throw new MandateError('INPUT_INVALID', '`minSimilarity` must be a number from -1 to 1.')
}

type CallName = 'write' | 'writeIf' | 'writeMany' | 'query' | 'searchDatabase' | 'readMemory' | 'searchMemory' | 'trim'

/** The options of each call of a memory or a database. */
export const CALL_OPTIONS: Readonly<Record<CallName, Readonly<Record<string, unknown>>>> = {
  write,
  writeIf,
  writeMany,
  query,
  searchDatabase,
  readMemory,
  searchMemory,
  trim,
}
