import { MandateError, toPlain } from '../core/index.ts'
import { type AnyFunction, type Fields, isFunction, openAiContext } from './foreign-shapes.ts'
import type { ToolContext } from './tool.ts'

/** Calls a tool as OpenAI Agents does. */
export async function runOpenAiAgents(
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
  // Its way of failing, unless its author chose another text.
  if (typeof result === 'string' && result.startsWith('An error occurred while running the tool'))
    throw new MandateError('TOOL_FAILED', result)
  return result
}

/** Calls a tool as LangChain does. */
export async function runLangChain(fields: Fields, input: unknown, ctx: ToolContext): Promise<unknown> {
  const { invoke, func, _call: call } = fields
  const config = { signal: ctx.signal, configurable: ctx.metadata ?? {}, metadata: { runId: ctx.runId } }
  if (isFunction(invoke)) return ofMessage(await invoke.call(fields, input, config))
  const result = await (isFunction(func) ? func : (call as AnyFunction)).call(fields, input, undefined, config)
  return ofMessage(fields['responseFormat'] === 'content_and_artifact' ? (result as unknown[])[0] : result)
}

/** A tool may give a whole message; what it says is the result. */
function ofMessage(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('lc_namespace' in result) || !('content' in result))
    return result
  if ('status' in result && result.status === 'error') throw new MandateError('TOOL_FAILED', textOf(result.content))
  return result.content
}

/** Calls a tool as Mastra does. */
export async function runMastra(execute: (options: object) => unknown, ctx: ToolContext): Promise<unknown> {
  const result = await execute({
    toolCallId: callId(ctx),
    messages: ctx.conversation ?? [],
    abortSignal: ctx.signal,
    requestContext: ctx.metadata,
  })
  if (typeof result !== 'object' || result === null || !('validationErrors' in result)) return result
  throw new MandateError('TOOL_FAILED', textOf((result as { message?: unknown }).message))
}

/** A literal does not say which version it was written for: the input is the argument itself, and its `context` as well. */
export function bothWays(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || 'context' in input) return input
  return Object.defineProperty({ ...input }, 'context', { value: input, enumerable: false })
}

function callId(ctx: ToolContext): string {
  return ctx.toolCallId ?? ctx.idempotencyKey
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(toPlain(value).value)
}
