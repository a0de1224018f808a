import { checkNumbers, type Json, MandateError, checkFields, type FieldNames } from '../core/index.ts'
import type { DatabaseClient } from '../memory/index.ts'
import { type Tool, type ToolContext, defineTool } from '../tool/index.ts'
import { isChecked } from './checks.ts'
import { limited } from './kv-quota.ts'
import { type KvStore, type KvWrite, databaseStore, mapStore } from './kv-store.ts'
import { written } from './store-writes.ts'

export interface KvOptions {
  /** Where values are stored; in this process by default. */
  readonly store?: DatabaseClient | Map<string, Json> | undefined
  /** The database collection of these tools; `kv` by default. */
  readonly collection?: string | undefined
  /** Characters; 512 by default. */
  readonly maxKeyLength?: number | undefined
  /** Characters of a value as JSON; a million by default. */
  readonly maxValueLength?: number | undefined
  /** The total number of keys; 10,000 by default. */
  readonly maxEntries?: number | undefined
  /** Characters of all keys and values together, as JSON; fifty million by default. */
  readonly maxTotalLength?: number | undefined
}

const KV_OPTIONS: FieldNames<KvOptions> = {
  store: 'object',
  collection: 'text',
  maxKeyLength: true,
  maxValueLength: true,
  maxEntries: 'number',
  maxTotalLength: true,
}

const LIST_MAX = 1_000

/**
 * Creates tools for values by key: `kv_get`, `kv_set`, `kv_swap`, `kv_delete`, `kv_list`. Keys are compared in Unicode normal form C, and no key can
 * leave the collection. A value can have a lifetime, and can be stored only if the current one is as expected; its labels are stored with it.
 *
 * @example
 * ```ts
 * import { kv } from 'mandate/connect'
 * const tools = kv({ store: new Map() })
 * ```
 */
export function kv(options: KvOptions = {}): readonly Tool[] {
  checkFields(options, 'an option of `kv`', KV_OPTIONS)
  checkNumbers(options, 'an option of `kv`', {
    ...{ maxKeyLength: 'count+', maxValueLength: 'count+', maxEntries: 'count+', maxTotalLength: 'count+' },
  })
  const { maxEntries = 10_000, maxTotalLength = 50_000_000 } = options
  const store = limited(storeOf(options), { maxEntries, maxTotalLength })
  const key = { type: 'string', minLength: 1, maxLength: options.maxKeyLength ?? 512, description: 'The key.' }
  return [
    getTool(store, key),
    setTool(store, key, options.maxValueLength ?? 1_000_000),
    swapTool(store, key, options.maxValueLength ?? 1_000_000),
    deleteTool(store, key),
    listTool(store),
  ]
}

type Schema = { readonly [keyword: string]: unknown }

const facts = { safeByDefault: true, idempotent: true } as const

function getTool(store: KvStore, key: Schema): Tool {
  return defineTool({
    ...facts,
    name: 'kv_get',
    description: 'Reads the value stored under a key.',
    inputSchema: objectOf({ key }, ['key']),
    risk: 'read',
    async run(input: { key: string }, context: ToolContext) {
      const found = await store.get(normal(input.key))
      if (found === undefined) return { found: false, value: null }
      context.addLabels?.(found.labels)
      return { found: true, value: found.value }
    },
  })
}

interface SetInput {
  readonly key: string
  readonly value: Json
  readonly ttlSeconds?: number
  readonly expected?: Json
}

const VALUE = { description: 'Any JSON value.' }
const TTL = { type: 'number', exclusiveMinimum: 0, description: 'Forgotten after so long; kept when absent.' }

function setTool(store: KvStore, key: Schema, maxValue: number): Tool {
  return defineTool({
    ...facts,
    name: 'kv_set',
    description: 'Stores a value under a key, replacing what was there.',
    inputSchema: objectOf({ key, value: VALUE, ttlSeconds: TTL }, ['key', 'value']),
    risk: 'write',
    run: async (input: SetInput, context: ToolContext) => ({
      stored: await stored(store, writeOf(input, context, maxValue), input, context),
    }),
  })
}

function swapTool(store: KvStore, key: Schema, maxValue: number): Tool {
  const expected = { description: 'What the value must be until now; when absent, there must be none.' }
  return defineTool({
    ...facts,
    // A repeated call would find the value that it stored itself.
    idempotent: false,
    name: 'kv_swap',
    description: 'Stores a value only where the one before is the expected one, and says whether it did.',
    inputSchema: objectOf({ key, expected, value: VALUE, ttlSeconds: TTL }, ['key', 'value']),
    risk: 'write',
    run: async (input: SetInput, context: ToolContext) => {
      const write = { ...writeOf(input, context, maxValue), expected: { value: input.expected } }
      return { stored: await stored(store, write, input, context) }
    },
  })
}

/** Stores what the gate allowed; in a dry run the write counts as done. */
async function stored(store: KvStore, write: KvWrite, { key }: SetInput, context: ToolContext): Promise<boolean> {
  const { expected } = write
  const isStored = await written(context, {
    kind: 'database',
    input: {
      op: 'write',
      collection: store.name,
      key: normal(key),
      value: write.value,
      ...(expected?.value === undefined ? {} : { expected: expected.value }),
    },
    idempotent: expected === undefined,
    perform: (input) => store.set(normal(key), { ...write, value: input['value'] ?? null }),
  })
  return isStored !== false
}

function writeOf({ value, ttlSeconds }: SetInput, { labels = [] }: ToolContext, maxValue: number): KvWrite {
  const { length } = JSON.stringify(value)
  if (length <= maxValue || !isChecked('kv.value-size'))
    return { value, labels, ttlMs: ttlSeconds === undefined ? undefined : ttlSeconds * 1_000 }
  throw new MandateError(
    'LIMIT_EXCEEDED',
    `The value has ${length} characters and at most ${maxValue} are stored. Store less, or raise \`maxValueLength\`.`,
  )
}

function deleteTool(store: KvStore, key: Schema): Tool {
  return defineTool({
    ...facts,
    name: 'kv_delete',
    description: 'Deletes the value stored under a key.',
    inputSchema: objectOf({ key }, ['key']),
    risk: 'write',
    run: async (input: { key: string }, context: ToolContext) => ({
      deleted: await written(context, {
        kind: 'database',
        input: { op: 'delete', collection: store.name, key: normal(input.key) },
        idempotent: true,
        perform: () => store.delete(normal(input.key)),
      }),
    }),
  })
}

function listTool(store: KvStore): Tool {
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

function storeOf({ store = new Map(), collection = 'kv' }: KvOptions): KvStore {
  return store instanceof Map ? mapStore(store, collection) : databaseStore(store, collection)
}
