import type { Json, JsonObject } from '../../core/index.ts'
import { defineTool } from '../../tool/index.ts'
import type { Tool, ToolContext } from '../../tool/index.ts'
import type { Context } from './context.ts'
import { CONTEXT_OPERATIONS } from './operations.ts'
import type { ContextOperation } from './operations.ts'

/** Finds the context of a call. */
type ContextFinder = (call: ToolContext) => Context | Promise<Context>

/** Timeout of one pass over a large source. */
const TIMEOUT_MS = 120_000
/** Maximum bytes of a result: `RESULT_CHARS_MAX` characters of three bytes each, plus the JSON around them. */
const RESULT_BYTES = 400_000

/** Returns the tool name of an operation. */
export function contextToolName(operation: string): string {
  return `context.${operation}`
}

/**
 * Creates tools for the operations of contexts. Every read is therefore an effect: it passes the gate, its result is journaled with the labels of the
 * context, and a replay reads it from the journal. The input field `context` identifies the content; if the source has changed since, the call fails. With
 * these tools, an agent reads a large file without including it in its prompt.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { fileContext } from 'mandate/connect'
 * import { contextOf, contextTools } from 'mandate/repl'
 * const log = contextOf(fileContext('server.log'), { labels: ['untrusted:file'] })
 * const agent = new Agent({ model: 'openai/gpt-5-mini', tools: contextTools(log) })
 * ```
 */
export function contextTools(given: Context | ContextFinder): readonly Tool[] {
  const find: ContextFinder = typeof given === 'function' ? given : () => given
  return [openTool(find), ...CONTEXT_OPERATIONS.map((operation) => operationTool(find, operation))]
}

function openTool(find: ContextFinder): Tool {
  return defineTool({
    ...FACTS,
    name: contextToolName('open'),
    description: 'Indexes the context of a session and gives its name, its size and the hash of its content.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    async run(_input: Json, call: ToolContext) {
      const context = await find(call)
      call.addLabels?.(context.labels)
      const { labels: _labels, ...facts } = (await context.open()).facts
      return facts
    },
  })
}

const FACTS = {
  risk: 'read',
  safeByDefault: true,
  idempotent: true,
  takesTokens: true,
  timeoutMs: TIMEOUT_MS,
  maxResultBytes: RESULT_BYTES,
} as const

function operationTool(find: ContextFinder, operation: ContextOperation): Tool {
  return defineTool({
    ...FACTS,
    name: contextToolName(operation.name),
    description: operation.description,
    inputSchema: {
      type: 'object',
      properties: { context: { type: 'string' }, ...operation.properties },
      required: [...(operation.required ?? [])],
      additionalProperties: false,
    },
    async run({ context: ref, ...input }: JsonObject & { readonly context?: string }, call: ToolContext) {
      const whole = await find(call)
      const context = ref === undefined ? whole : await whole.at(ref)
      call.addLabels?.(context.labels)
      return operation.run(await context.open(), input as never, call.signal)
    },
  })
}
