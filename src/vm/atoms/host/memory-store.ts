import { checkNumbers, MandateError, toPlain, checkFields, isRecord } from '../../../core/index.ts'
import type { Json, JsonObject, FieldNames } from '../../../core/index.ts'
import type { StoreCapability } from './capabilities.ts'

interface MemoryStoreOptions {
  /** Maximum number of values over all collections; 10,000 when absent. */
  readonly entriesMax?: number | undefined
}

const MEMORY_STORE_OPTIONS: FieldNames<MemoryStoreOptions> = { entriesMax: true }

interface Vectors {
  readonly dimension: number | undefined
  readonly docs: { readonly doc: JsonObject; readonly vector: readonly number[]; readonly length: number }[]
}

/**
 * An in-memory store for programs: values by key, and vector collections with cosine similarity. Values are copied
 * in and out.
 *
 * @example
 * ```ts
 * import { memoryStore } from 'mandate/vm'
 * const store = memoryStore()
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): Required<Omit<StoreCapability, 'queryPredicate'>> {
  checkFields(options, 'an option of `memoryStore`', MEMORY_STORE_OPTIONS)
  checkNumbers(options, 'an option of `memoryStore`', { entriesMax: 'cap' })
  const { entriesMax = 10_000 } = options
  const values = new Map<string, Json>()
  const collections = new Map<string, Vectors>()
  let entries = 0
  const makeRoom = (): void => {
    if (entries >= entriesMax)
      throw new MandateError(
        'LIMIT_EXCEEDED',
        `The store holds ${entriesMax} entries already (\`entriesMax\`). Raise it, or use a store on disk.`,
      )
    entries += 1
  }
  const collectionOf = (name: string): Vectors => {
    const found = collections.get(name)
    if (found !== undefined) return found
    throw new MandateError('NOT_FOUND', `There is no collection "${name}". Make it with storeCreateCollection.`)
  }
  return {
    get: async (key) => copied(values.get(key) ?? null),
    async set(key, value) {
      if (!values.has(key)) makeRoom()
      values.set(key, copied(value))
    },
    /** Values whose members equal those of the query. */
    async query(query) {
      const wanted = Object.entries((query ?? {}) as object)
      return [...values]
        .filter(([, value]) =>
          wanted.every(([name, is]) => isRecord(value) && JSON.stringify(value[name]) === JSON.stringify(is)),
        )
        .map(([, value]) => copied(value))
    },
    async createCollection(name, given) {
      const { dimension } = (given ?? {}) as { readonly dimension?: number }
      if (!collections.has(name)) collections.set(name, { dimension, docs: [] })
    },
    async vectorAdd(name, doc) {
      const { dimension, docs } = collectionOf(name)
      const vector = isRecord(doc) ? (doc['vector'] ?? doc['embedding']) : undefined
      if (!isVector(vector) || (dimension !== undefined && vector.length !== dimension))
        throw new MandateError(
          'INPUT_INVALID',
          `A document of "${name}" needs \`vector\`: ${dimension ?? 'some'} numbers.`,
        )
      makeRoom()
      docs.push({ doc: copied(doc) as JsonObject, vector: [...vector], length: lengthOf(vector) })
    },
    async vectorSearch(name, vector, k = 5, filter) {
      const length = lengthOf(vector)
      const wanted = Object.entries((filter ?? {}) as object)
      return collectionOf(name)
        .docs.filter(({ doc }) => wanted.every(([field, is]) => JSON.stringify(doc[field]) === JSON.stringify(is)))
        .map((each) => ({ doc: each.doc, score: cosine(each, vector, length) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, k)
        .map(({ doc, score }) => ({ ...(copied(doc) as JsonObject), score }))
    },
  }
}

function cosine(
  doc: { readonly vector: readonly number[]; readonly length: number },
  vector: readonly number[],
  length: number,
): number {
  const size = Math.min(doc.vector.length, vector.length)
  let sum = 0
  for (let index = 0; index < size; index++) sum += doc.vector[index]! * vector[index]!
  return doc.length === 0 || length === 0 ? 0 : sum / (doc.length * length)
}

function lengthOf(vector: readonly number[]): number {
  let sum = 0
  for (const part of vector) sum += part * part
  return Math.sqrt(sum)
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number')
}

function copied(value: Json): Json {
  return toPlain(value).value
}
