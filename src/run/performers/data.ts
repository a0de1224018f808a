import { MandateError, joinLabels, nameProblem, labelsAt, toPlain } from '../../core/index.ts'
import { redactJson } from '../../redact/index.ts'
import type { Json } from '../../core/index.ts'
import type { KernelCall, Performed, KernelPerformer } from './performer.ts'
import type { Spend } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { packLabels, unpackLabels, vectorFrom } from '../../memory/index.ts'
import type { DatabaseClient, MemoryClient, MemoryPolicy, PromptStore, WriteOptions } from '../../memory/index.ts'
import { standInsOf } from './stand-ins.ts'

/** The input of effects of kind `memory`, `database` and `prompt`: an operation and its arguments. The operation decides whether it writes. */
interface DataInput {
  readonly op: string
  readonly [argument: string]: Json
}

type Operations<C> = {
  readonly [op: string]: {
    readonly writes: boolean
    readonly idempotent: boolean
    /** The argument that is stored, together with its labels. */
    readonly stores?: string
    /** Where the result has its values: it is one, a list of them, or a list of records with a `value`. */
    readonly gives?: 'value' | 'list' | 'records'
    run(client: C, input: DataInput, policy: MemoryPolicy): Promise<unknown>
  }
}

const MEMORY: Operations<MemoryClient> = {
  append: {
    writes: true,
    idempotent: false,
    stores: 'entry',
    run: appendEntry,
  },
  read: {
    writes: false,
    idempotent: true,
    gives: 'list',
    run: (client, { stream, limit }) => client.read(text(stream, 'stream'), count(limit)),
  },
  search: {
    writes: false,
    idempotent: true,
    gives: 'list',
    run: async (client, { query, limit, stream, vector }) =>
      (await client.search?.(text(query ?? '', 'query'), {
        ...count(limit),
        streamKey: stream === undefined ? undefined : text(stream, 'stream'),
        vector: likeness(vector),
      })) ?? [],
  },
  clear: { writes: true, idempotent: true, run: async (client, { stream }) => client.clear?.(text(stream, 'stream')) },
}

const DATABASE: Operations<DatabaseClient> = {
  write: {
    writes: true,
    idempotent: true,
    stores: 'value',
    run: (client, { collection, key, value, ...rest }, policy) =>
      client.write(text(collection, 'collection'), text(key, 'key'), value ?? null, writeOptions(rest, policy)),
  },
  delete: {
    writes: true,
    idempotent: true,
    run: (client, { collection, key }) => deleteFrom(client, text(collection, 'collection'), text(key, 'key')),
  },
  read: {
    writes: false,
    idempotent: true,
    gives: 'value',
    run: (client, { collection, key }) => client.read(text(collection, 'collection'), text(key, 'key')),
  },
  query: {
    writes: false,
    idempotent: true,
    gives: 'records',
    run: (client, { collection, query, options }) =>
      client.query(text(collection, 'collection'), (query ?? {}) as never, (options ?? {}) as never),
  },
  search: {
    writes: false,
    idempotent: true,
    gives: 'records',
    run: async (client, { query, limit, collection, where, vector, minSimilarity }) =>
      (await client.search?.(text(query ?? '', 'query'), {
        topK: count(limit)?.limit,
        collection: collection === undefined ? undefined : text(collection, 'collection'),
        query: where as never,
        vector: likeness(vector),
        minSimilarity: minSimilarity as number | undefined,
      })) ?? [],
  },
}

const PROMPT: Operations<PromptStore> = {
  get: {
    writes: false,
    idempotent: true,
    run: (client, { id, version }) =>
      client.get(text(id, 'id'), version === undefined ? undefined : text(version, 'version')),
  },
  render: {
    writes: false,
    idempotent: true,
    run: (client, { id, params, version }) =>
      client.render(text(id, 'id'), (params ?? {}) as never, {
        throwOnMissing: true,
        ...(version === undefined ? {} : { version: text(version, 'version') }),
      }),
  },
  list: { writes: false, idempotent: true, run: (client, { filter }) => client.list((filter ?? {}) as never) },
}

/** Appends to a stream, with the retention that the policy of the run allows. */
async function appendEntry(
  client: MemoryClient,
  { stream, entry, ...rest }: Omit<DataInput, 'op'>,
  policy: MemoryPolicy,
): Promise<void> {
  await client.append(text(stream, 'stream'), entry ?? null, writeOptions(rest, policy))
  if (policy.maxEntries !== undefined)
    await client.trim?.({ collection: text(stream, 'stream'), maxCount: policy.maxEntries })
}

function text(value: Json | undefined, name: string): string {
  if (typeof value !== 'string') throw new MandateError('INPUT_INVALID', `\`${name}\` must be a string.`)
  const problem = NAMES.has(name) ? nameProblem(value, NAME_MAX) : undefined
  if (problem === undefined) return value
  throw new MandateError('INPUT_INVALID', `\`${name}\` ${problem}.`)
}

/**
 * The arguments that name something in a store. A store accepts any text; invisible characters and non-names are refused here, where the names come
 * from programs and tools.
 */
const NAMES: ReadonlySet<string> = new Set(['stream', 'collection', 'key'])
/** Keys may be paths and addresses. */
const NAME_MAX = 4_096

function count(limit: Json | undefined): { limit: number } | undefined {
  return typeof limit === 'number' ? { limit } : undefined
}

/** The options of a write. The policy of the run can shorten its lifetime, never lengthen it. */
function writeOptions({ ttlMs, vector }: Omit<DataInput, 'op'>, policy: MemoryPolicy): WriteOptions {
  const times = [ttlMs, policy.ttlMs].filter((time) => time !== undefined)
  if (ttlMs !== undefined && typeof ttlMs !== 'number')
    throw new MandateError('INPUT_INVALID', '`ttlMs` must be a number.')
  return {
    ttlMs: times.length === 0 ? undefined : Math.min(...(times as number[])),
    vector: likeness(vector),
  }
}

function likeness(vector: Json | undefined): Float32Array | undefined {
  return vector === undefined ? undefined : vectorFrom(vector)
}

function deleteFrom(client: DatabaseClient, collection: string, key: string): Promise<boolean> {
  if (client.delete !== undefined) return client.delete(collection, key)
  throw new MandateError('CONFIG_INVALID', 'This database cannot delete. Use one that has `delete`.')
}

export const memoryPerformer: KernelPerformer = dataPerformer(
  'memory',
  MEMORY,
  ({ resources, host }) => resources.memory ?? host.registry.memory,
)
export const databasePerformer: KernelPerformer = dataPerformer(
  'database',
  DATABASE,
  ({ resources, host }) => resources.database ?? host.registry.database,
)
export const promptPerformer: KernelPerformer = dataPerformer(
  'prompt',
  PROMPT,
  ({ resources, host }) => resources.prompts ?? host.registry.prompts,
)

function dataPerformer<C>(
  kind: 'memory' | 'database' | 'prompt',
  operations: Operations<C>,
  clientOf: (run: ActiveRun) => C | undefined,
): KernelPerformer {
  const operation = (input: Json): Operations<C>[string] | undefined => {
    const op = (input as DataInput | null)?.op
    return typeof op === 'string' && Object.hasOwn(operations, op) ? operations[op] : undefined
  }
  return {
    kind,
    facts: (effect, run) => ({
      known: operation(effect.input) !== undefined,
      alternatives: Object.keys(operations).map((op) => `op: ${op}`),
      risk: operation(effect.input)?.writes === true ? 'write' : 'read',
      worst: storeSpend(operation(effect.input)?.writes === true, run) ?? {},
    }),
    repeatable: (effect) => operation(effect.input)?.idempotent === true,
    timeoutMs: (_effect, run) => run.limits.toolTimeoutMs,
    async perform(call: KernelCall): Promise<Performed> {
      const recorded = standInsOf(call.run)?.data
      if (recorded !== undefined) return { value: recorded(call.idempotencyKey) }
      const client = clientOf(call.run)
      if (client === undefined)
        throw new MandateError(
          'CONFIG_INVALID',
          `No ${kind} client is configured. Give one to the service or the agent.`,
        )
      const asked = operation(call.input)!
      const policy = call.run.resources.memoryPolicy ?? {}
      const spent = storeSpend(asked.writes, call.run)
      if (asked.writes && policy.dryRun === true) return { value: null, spent, meta: { dryRun: true } }
      // Data kept for later runs is redacted like the journal.
      const input = asked.writes ? redactJson(call.input, call.run.redactor) : call.input
      const { stores, gives } = asked
      const given = await asked.run(
        client,
        stores === undefined ? (input as DataInput) : withLabels(call, input, stores),
        policy,
      )
      if (gives === undefined) return { value: given, spent }
      const { value, labels } = unpack(toPlain(given).value, gives)
      return { value, labels: joinLabels(labels, (client as MemoryClient | DatabaseClient).labels) }
    },
  }
}

/** Counted only under a limit, so that the journals of other runs do not change. */
export function storeSpend(writes: boolean, run: ActiveRun): Spend | undefined {
  return writes && run.budget.isLimited('storeWrites') ? { storeWrites: 1 } : undefined
}

/** Stores the labels of an input together with it. */
function withLabels({ effect }: KernelCall, input: Json, stores: string): DataInput {
  const asked = input as DataInput
  return { ...asked, [stores]: packLabels(asked[stores] ?? null, labelsAt(effect.labels, `/${stores}`)) }
}

function unpack(given: Json, gives: 'value' | 'list' | 'records'): Performed {
  if (gives === 'value' || !Array.isArray(given)) return unpackLabels(given)
  const unpacked = (given as readonly Json[]).map((item) => {
    if (gives === 'list') return unpackLabels(item)
    const record = item as { readonly value: Json }
    const { value, labels } = unpackLabels(record.value)
    return { value: { ...record, value }, labels }
  })
  return { value: unpacked.map(({ value }) => value), labels: joinLabels(...unpacked.map(({ labels }) => labels)) }
}
