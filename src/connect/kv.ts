import { type Json, MandateError } from '../core/index.ts'
import type { DatabaseClient } from '../memory/index.ts'
import { type Tool, defineTool } from '../tool/index.ts'

export interface KvOptions {
  /** Where values live; in this process when absent. */
  readonly store?: DatabaseClient | Map<string, Json> | undefined
  /** The part of the database that these tools see; `kv` when absent. */
  readonly collection?: string | undefined
  /** Characters; 512 when absent. */
  readonly maxKeyLength?: number | undefined
  /** Characters of a value as JSON; a million when absent. */
  readonly maxValueLength?: number | undefined
}

interface Store {
  get(key: string): Promise<Json | undefined>
  set(key: string, value: Json): Promise<void>
  delete(key: string): Promise<boolean>
  keys(): Promise<readonly string[]>
}

const LIST_MAX = 1_000

/**
 * Tools to keep values by key: `kv_get`, `kv_set`, `kv_delete`, `kv_list`. Keys are compared in Unicode normal form C, and no key leads
 * out of the collection.
 *
 * @example
 * ```ts
 * import { kv } from 'mandate/connect'
 * const tools = kv({ store: new Map() })
 * ```
 */
export function kv(options: KvOptions = {}): readonly Tool[] {
  const store = storeOf(options)
  const key = { type: 'string', minLength: 1, maxLength: options.maxKeyLength ?? 512, description: 'The key.' }
  return [
    getTool(store, key),
    setTool(store, key, options.maxValueLength ?? 1_000_000),
    deleteTool(store, key),
    listTool(store),
  ]
}

type Schema = { readonly [keyword: string]: unknown }

const facts = { safeByDefault: true, idempotent: true } as const

function getTool(store: Store, key: Schema): Tool {
  return defineTool({
    ...facts,
    name: 'kv_get',
    description: 'Reads the value stored under a key.',
    inputSchema: objectOf({ key }, ['key']),
    risk: 'read',
    async run(input: { key: string }) {
      const value = await store.get(normal(input.key))
      return value === undefined ? { found: false, value: null } : { found: true, value }
    },
  })
}

function setTool(store: Store, key: Schema, maxValue: number): Tool {
  return defineTool({
    ...facts,
    name: 'kv_set',
    description: 'Stores a value under a key, replacing what was there.',
    inputSchema: objectOf({ key, value: { description: 'Any JSON value.' } }, ['key', 'value']),
    risk: 'write',
    async run(input: { key: string; value: Json }) {
      const { length } = JSON.stringify(input.value)
      if (length > maxValue) {
        throw new MandateError(
          'LIMIT_EXCEEDED',
          `The value has ${length} characters and at most ${maxValue} are stored. Store less, or raise \`maxValueLength\`.`,
        )
      }
      await store.set(normal(input.key), input.value)
      return { stored: true }
    },
  })
}

function deleteTool(store: Store, key: Schema): Tool {
  return defineTool({
    ...facts,
    name: 'kv_delete',
    description: 'Deletes the value stored under a key.',
    inputSchema: objectOf({ key }, ['key']),
    risk: 'write',
    run: async (input: { key: string }) => ({ deleted: await store.delete(normal(input.key)) }),
  })
}

function listTool(store: Store): Tool {
  return defineTool({
    ...facts,
    name: 'kv_list',
    description: 'Lists stored keys in order, at most 1000 at a time.',
    inputSchema: objectOf(
      { prefix: { type: 'string' }, after: { type: 'string', description: 'Only keys after this one.' } },
      [],
    ),
    risk: 'read',
    async run({ prefix = '', after }: { prefix?: string; after?: string }) {
      const isWanted = (key: string): boolean =>
        key.startsWith(normal(prefix)) && (after === undefined || key > normal(after))
      const keys = (await store.keys()).filter(isWanted).sort()
      return { keys: keys.slice(0, LIST_MAX), more: keys.length > LIST_MAX }
    },
  })
}

function objectOf(properties: Schema, required: readonly string[]): Schema {
  return { type: 'object', properties, required, additionalProperties: false }
}

function normal(key: string): string {
  return key.normalize('NFC')
}

function storeOf({ store = new Map(), collection = 'kv' }: KvOptions): Store {
  return store instanceof Map ? mapStore(store) : databaseStore(store, collection)
}

/** Values are copied in and out: neither the tool's caller nor the holder of the map shares an object with the other. */
function mapStore(map: Map<string, Json>): Store {
  return {
    async get(key) {
      return map.has(key) ? structuredClone(map.get(key)) : undefined
    },
    async set(key, value) {
      map.set(key, structuredClone(value))
    },
    async delete(key) {
      return map.delete(key)
    },
    async keys() {
      return [...map.keys()]
    },
  }
}

/** A database says `null` for what is not there, so values are stored wrapped: then a stored `null` differs from none. */
function databaseStore(database: DatabaseClient, collection: string): Store {
  return {
    async get(key) {
      const record = await database.read(collection, key)
      return record === null ? undefined : (record as { readonly value: Json }).value
    },
    async set(key, value) {
      await database.write(collection, key, { value })
    },
    async delete(key) {
      if (database.delete !== undefined) return database.delete(collection, key)
      throw new MandateError(
        'CONNECTOR_FAILED',
        'This database cannot delete. Use one that has `delete`, or leave `kv_delete` out.',
      )
    },
    async keys() {
      return (await database.query(collection, {})).map((record) => record.key)
    },
  }
}
