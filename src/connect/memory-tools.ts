import { isRecord, checkNumbers, type Json, MandateError, sha256, type FieldNames, checkNeeded } from '../core/index.ts'
import { type DatabaseClient, packLabels, unpackLabels } from '../memory/index.ts'
import { type Tool, type ToolContext, defineTool } from '../tool/index.ts'
import { written } from './store-writes.ts'

export interface MemoryToolsOptions {
  readonly database: DatabaseClient
  /** The database collection of these tools; `memory` by default. */
  readonly collection?: string | undefined
  /** Embeds texts, so that memories are found by meaning; otherwise by their words. */
  readonly embed?:
    | ((texts: readonly string[], signal: AbortSignal) => Promise<readonly (readonly number[])[]>)
    | undefined
  /** The lifetime of memories; unlimited by default. */
  readonly ttlMs?: number | undefined
  /** Characters of one memory; 10,000 by default. */
  readonly maxTextLength?: number | undefined
}

const MEMORY_TOOLS_OPTIONS: FieldNames<MemoryToolsOptions> = {
  database: 'object',
  collection: 'text',
  embed: 'function|object',
  ttlMs: true,
  maxTextLength: true,
}

interface Saved {
  readonly text: string
  readonly tags: readonly string[]
}

type Schema = { readonly [keyword: string]: unknown }

const LIMIT_MAX = 50
/** What is stored has tokens in place of secrets, and may be searched for by them. */
const facts = { safeByDefault: true, idempotent: true, takesTokens: true } as const
const TAGS = { type: 'array', items: { type: 'string', maxLength: 100 }, maxItems: 20 }

/**
 * Creates tools with which an agent stores facts for later use: `memory_save`, `memory_search`, `memory_forget`. The labels of a memory are
 * stored and returned with it.
 *
 * @example
 * ```ts
 * import { memoryTools } from 'mandate/connect'
 * import { inMemoryDatabase } from 'mandate/memory'
 * const tools = memoryTools({ database: inMemoryDatabase(), ttlMs: 90 * 86_400_000 })
 * ```
 */
export function memoryTools(options: MemoryToolsOptions): readonly Tool[] {
  checkNeeded(options, 'an option of `memoryTools`', MEMORY_TOOLS_OPTIONS)
  checkNumbers(options, 'an option of `memoryTools`', { ttlMs: 'amount+', maxTextLength: 'count+' })
  if (!isRecord(options?.database) || options.database.search === undefined || options.database.delete === undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      '`database` must have `search` and `delete`. Use one of those in mandate/memory.',
    )
  return [saveTool(options), searchTool(options), forgetTool(options)]
}

function saveTool({ database, collection = 'memory', embed, ttlMs, maxTextLength = 10_000 }: MemoryToolsOptions): Tool {
  return defineTool({
    ...facts,
    name: 'memory_save',
    description: 'Keeps a text for later conversations and gives its id. Tags help to find it again.',
    inputSchema: objectOf({ text: { type: 'string', minLength: 1, maxLength: maxTextLength }, tags: TAGS }, ['text']),
    risk: 'write',
    async run({ text, tags = [] }: { text: string; tags?: readonly string[] }, context: ToolContext) {
      // The same for every attempt of a call, so that a call which is repeated after a crash stores one memory.
      const id = `m_${sha256(`${context.runId} ${context.idempotencyKey}`).slice(0, 24)}`
      await written(context, {
        kind: 'memory',
        input: { op: 'write', collection, key: id, value: { text, tags: [...tags] } },
        idempotent: true,
        async perform({ value }) {
          const saved = value as unknown as Saved
          const [vector] = (await embed?.([saved.text], context.signal)) ?? []
          await database.write(collection, id, packLabels(value ?? null, context.labels ?? []), { ttlMs, vector })
        },
      })
      return { id }
    },
  })
}

function searchTool({ database, collection = 'memory', embed }: MemoryToolsOptions): Tool {
  return defineTool({
    ...facts,
    name: 'memory_search',
    description: 'Finds memories by words and meaning, best first; with tags, only those that have all of them.',
    inputSchema: objectOf(
      {
        query: { type: 'string', maxLength: 2_000 },
        tags: TAGS,
        limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX },
      },
      ['query'],
    ),
    risk: 'read',
    async run(input: { query: string; tags?: readonly string[]; limit?: number }, context: ToolContext) {
      const { query, tags = [], limit = 5 } = input
      const [vector] = query.trim() === '' ? [] : ((await embed?.([query], context.signal)) ?? [])
      const hits = await database.search!(query, {
        collection,
        topK: tags.length === 0 ? limit : LIMIT_MAX * 4,
        vector,
      })
      const found = hits.map(({ key, value }) => ({ id: key, ...unpackLabels(value) }))
      const fitting = found.filter(({ value }) => tags.every((tag) => (value as unknown as Saved).tags.includes(tag)))
      const best = fitting.slice(0, limit)
      context.addLabels?.(database.labels ?? [])
      for (const { labels } of best) context.addLabels?.(labels)
      return { memories: best.map(({ id, value }) => ({ id, ...(value as { readonly [name: string]: Json }) })) }
    },
  })
}

function forgetTool({ database, collection = 'memory' }: MemoryToolsOptions): Tool {
  return defineTool({
    ...facts,
    name: 'memory_forget',
    description: 'Deletes a memory by its id.',
    inputSchema: objectOf({ id: { type: 'string', minLength: 1, maxLength: 200 } }, ['id']),
    risk: 'write',
    run: async ({ id }: { id: string }, context: ToolContext) => ({
      forgotten: await written(context, {
        kind: 'memory',
        input: { op: 'delete', collection, key: id },
        idempotent: true,
        perform: () => database.delete!(collection, id),
      }),
    }),
  })
}

function objectOf(properties: Schema, required: readonly string[]): Schema {
  return { type: 'object', properties, required, additionalProperties: false }
}
