import { type Json, type Label, MandateError, canonical, systemClock } from '../core/index.ts'
import { type DatabaseClient, packLabels, unpackLabels } from '../memory/index.ts'

/** A value with its labels. */
interface KvValue {
  readonly value: Json
  readonly labels: readonly Label[]
}

export interface KvWrite extends KvValue {
  readonly ttlMs?: number | undefined
  /** Only if the stored value is this one, or, with `undefined` in it, if there is none. */
  readonly expected?: { readonly value: Json | undefined } | undefined
}

/** Stores values by key. */
export interface KvStore {
  /** The name of its collection. */
  readonly name: string
  get(key: string): Promise<KvValue | undefined>
  /** Returns false if the stored value is not the expected one. */
  set(key: string, write: KvWrite): Promise<boolean>
  delete(key: string): Promise<boolean>
  keys(): Promise<readonly string[]>
  /** The number of entries, and their total length as JSON. */
  usage(): Promise<{ entries: number; length: number }>
}

/** A store over a map of the host: values are copied in and out, so that no object is shared. */
export function mapStore(map: Map<string, Json>, name: string): KvStore {
  /** Labels and expiry of the values; values that the host put there have none. */
  const notes = new Map<string, { readonly labels: readonly Label[]; readonly end: number }>()
  const expire = (key: string): void => {
    if ((notes.get(key)?.end ?? Infinity) > systemClock.now()) return
    map.delete(key)
    notes.delete(key)
  }
  return {
    name,
    async get(key) {
      expire(key)
      return map.has(key) ? { value: structuredClone(map.get(key)!), labels: notes.get(key)?.labels ?? [] } : undefined
    },
    async set(key, { value, labels, ttlMs = Infinity, expected }) {
      expire(key)
      if (expected !== undefined && !isSame(map.get(key), expected.value)) return false
      map.set(key, structuredClone(value))
      notes.set(key, { labels, end: systemClock.now() + ttlMs })
      return true
    },
    async delete(key) {
      expire(key)
      notes.delete(key)
      return map.delete(key)
    },
    async keys() {
      for (const key of notes.keys()) expire(key)
      return [...map.keys()]
    },
    async usage() {
      for (const key of notes.keys()) expire(key)
      return usageOf([...map])
    },
  }
}

function usageOf(records: readonly (readonly [string, Json])[]): { entries: number; length: number } {
  const length = records.reduce((sum, [key, value]) => sum + key.length + JSON.stringify(value).length, 0)
  return { entries: records.length, length }
}

function isSame(actual: Json | undefined, expected: Json | undefined): boolean {
  if (actual === undefined || expected === undefined) return actual === expected
  return canonical(actual) === canonical(expected)
}

/** A store over a database. It returns `null` for missing values, so values are stored wrapped: then a stored `null` can be distinguished. */
export function databaseStore(database: DatabaseClient, collection: string): KvStore {
  const get = async (key: string): Promise<KvValue | undefined> => {
    const record = await database.read(collection, key)
    if (record === null) return undefined
    const { value, labels } = unpackLabels(record)
    return { value: (value as { readonly value: Json }).value, labels }
  }
  return {
    name: collection,
    get,
    async set(key, { value, labels, ttlMs, expected }) {
      const packed = packLabels({ value }, labels)
      if (expected === undefined) {
        await database.write(collection, key, packed, { ttlMs })
        return true
      }
      if (database.writeIf === undefined) throw unable('compare', '`kv_swap`')
      const before = await database.read(collection, key)
      const found = before === null ? undefined : (unpackLabels(before).value as { readonly value: Json }).value
      // With the stored labels: only the value is compared with the expected one.
      return isSame(found, expected.value) && database.writeIf(collection, key, packed, { expected: before, ttlMs })
    },
    async delete(key) {
      if (database.delete === undefined) throw unable('delete', '`kv_delete`')
      return database.delete(collection, key)
    },
    async keys() {
      return (await database.query(collection, {})).map((record) => record.key)
    },
    async usage() {
      const records = await database.query(collection, {})
      return usageOf(
        records.map(({ key, value }) => [key, (unpackLabels(value).value as { readonly value: Json }).value] as const),
      )
    },
  }
}

function unable(what: string, without: string): MandateError {
  return new MandateError(
    'CONNECTOR_FAILED',
    `This database cannot ${what}. Use one that can, or leave ${without} out.`,
  )
}
