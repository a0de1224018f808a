import { MandateError, toPlain } from '../core/index.ts'
import type { ToolContext } from './tool.ts'

type Fields = Readonly<Record<string, unknown>>
type AnyFunction = (...args: unknown[]) => unknown

/** A tool of another framework, and how to call it in that framework's way. */
export interface Foreign {
  run(input: unknown, ctx: ToolContext): unknown
  /** The input schema for models, if the tool itself cannot provide it. */
  readonly schema?: object | undefined
  /** The tool validates its input itself, and needs it as the model wrote it. */
  readonly parsesItself?: boolean | undefined
  /** Whether a call needs approval, possibly as a promise. */
  readonly approval?: boolean | ((input: unknown) => unknown) | undefined
}

/** Reads the shapes of OpenAI Agents, LangChain and Mastra; `undefined` for any other. They are read as plain objects: none of their packages is needed. */
export function readForeign(fields: Fields): Foreign | undefined {
  if (isFunction(fields['run']) || isFunction(fields['handler'])) return undefined
  if (fields['type'] === 'function' && isFunction(fields['invoke'])) return openAiAgents(fields, fields['invoke'])
  if (isFunction(fields['execute']))
    return typeof fields['id'] === 'string' ? mastra(fields, fields['execute']) : undefined
  return langChain(fields)
}

/** `{ type: 'function', name, parameters, invoke(runContext, json, details), needsApproval(runContext, input, callId), isEnabled }` */
function openAiAgents(fields: Fields, invoke: AnyFunction): Foreign {
  for (const guardrails of ['inputGuardrails', 'outputGuardrails']) {
    const given = fields[guardrails]
    if (Array.isArray(given) && given.length > 0)
      throw new MandateError(
        'CONFIG_INVALID',
        `Tool "${String(fields['name'])}": \`${guardrails}\` would not run here. Say the same in the rules of a mandate, and leave them out.`,
      )
  }
  const { needsApproval } = fields
  return {
    parsesItself: true,
    approval: isFunction(needsApproval)
      ? (input) => needsApproval(openAiContext(), input, undefined)
      : (needsApproval as boolean | undefined),
    run: (input, ctx) => runOpenAiAgents(fields, invoke, input, ctx),
  }
}

/** The run context that its functions get. */
function openAiContext(ctx?: ToolContext): object {
  return { context: ctx?.metadata ?? {}, usage: {}, isToolApproved: () => true }
}

/** The input of LangChain's older tools is a single text. */
const ONE_TEXT = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }

/** `{ name, description, schema, invoke(input, config) }`, or its `func` or `_call` alone, which have a callback manager as an additional parameter. */
function langChain(fields: Fields): Foreign | undefined {
  const { invoke, func, _call: call } = fields
  const alone = isFunction(func) ? func : call
  if (!isFunction(invoke) && !isFunction(alone)) return undefined
  const { lc_name: className } = fields.constructor as { lc_name?: () => string }
  return {
    ...(className?.() === 'DynamicTool' ? { schema: ONE_TEXT } : {}),
    parsesItself: isFunction(invoke),
    run: (input, ctx) => runLangChain(fields, input, ctx),
  }
}

/** `{ id, inputSchema, execute(input, context) }`; before version 1 `execute({ context: input }, options)`. */
function mastra(fields: Fields, execute: AnyFunction): Foreign {
  const isNew = Object.getOwnPropertySymbols(fields).some((symbol) => symbol.description === 'mastra.core.tool.Tool')
  const isOld = !isNew && Object.hasOwn(fields, 'mastra')
  const approval = fields['needsApproval'] ?? fields['needsApprovalFn'] ?? fields['requireApproval']
  return {
    parsesItself: isNew || isOld,
    approval: isFunction(approval) ? (input) => approval(input, {}) : (approval as boolean | undefined),
    run: (input, ctx) => {
      const given = isNew ? input : isOld ? { context: input } : bothWays(input)
      return runMastra((options) => execute.call(fields, given, options), ctx)
    },
  }
}

/** Whether a value is a function. */
function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function'
}

/** Calls a tool like OpenAI Agents. */
async function runOpenAiAgents(
  fields: Fields,
  invoke: AnyFunction,
  input: unknown,
  ctx: ToolContext,
): Promise<unknown> {
  const context = openAiContext(ctx)
  const { isEnabled } = fields
  if (isFunction(isEnabled) && (await isEnabled(context, undefined)) === false)
    throw new MandateError('TOOL_FAILED', `The tool "${String(fields['name'])}" is not enabled now.`)
  const text = JSON.stringify(input)
  const toolCall = { type: 'function_call', callId: callId(ctx), name: fields['name'], arguments: text }
  const result = await invoke.call(fields, context, text, { toolCall, signal: ctx.signal })
  // The default error text of OpenAI Agents, unless the author chose another one.
  if (typeof result === 'string' && result.startsWith('An error occurred while running the tool'))
    throw new MandateError('TOOL_FAILED', result)
  return result
}

/** Calls a tool like LangChain. */
async function runLangChain(fields: Fields, input: unknown, ctx: ToolContext): Promise<unknown> {
  const { invoke, func, _call: call } = fields
  const config = { signal: ctx.signal, configurable: ctx.metadata ?? {}, metadata: { runId: ctx.runId } }
  if (isFunction(invoke)) return ofMessage(await invoke.call(fields, input, config))
  const result = await (isFunction(func) ? func : (call as AnyFunction)).call(fields, input, undefined, config)
  return ofMessage(fields['responseFormat'] === 'content_and_artifact' ? (result as unknown[])[0] : result)
}

/** The result in a message: a tool may return a whole message. */
function ofMessage(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('lc_namespace' in result) || !('content' in result))
    return result
  if ('status' in result && result.status === 'error') throw new MandateError('TOOL_FAILED', textOf(result.content))
  return result.content
}

/** Calls a tool like Mastra. */
async function runMastra(execute: (options: object) => unknown, ctx: ToolContext): Promise<unknown> {
  const result = await execute({
    toolCallId: callId(ctx),
    messages: ctx.conversation ?? [],
    abortSignal: ctx.signal,
    requestContext: ctx.metadata,
  })
  if (typeof result !== 'object' || result === null || !('validationErrors' in result)) return result
  throw new MandateError('TOOL_FAILED', textOf((result as { message?: unknown }).message))
}

/** The version is unknown for a plain object: the input is both the argument itself and its `context`. */
function bothWays(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || 'context' in input) return input
  return Object.defineProperty({ ...input }, 'context', { value: input, enumerable: false })
}

function callId(ctx: ToolContext): string {
  return ctx.toolCallId ?? ctx.idempotencyKey
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(toPlain(value).value)
}
