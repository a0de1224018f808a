import { type Clock, MandateError } from '../core/index.ts'
import { estimateRequest, estimateTokens } from './estimate.ts'
import type { ProviderMetadata } from './message.ts'
import type { ModelCallContext, ModelPart, ModelRequest } from './model.ts'
import { parseToolInput } from './reply.ts'
import type { ScriptedFault, ScriptedHang, ScriptedReply } from './script.ts'
import { type TokenUsage, tokenUsage } from './usage.ts'

/** The state of playing a script. */
interface Stage {
  readonly request: ModelRequest
  readonly call: ModelCallContext
  readonly position: number
  readonly clock: Clock
}

/** Plays one item of a script as the stream of a model. */
export async function* play(
  item: ScriptedReply | ScriptedFault | ScriptedHang,
  stage: Stage,
): AsyncGenerator<ModelPart> {
  const { signal } = stage.call
  if ('delayMs' in item && item.delayMs !== undefined) await pause(stage.clock, item.delayMs, signal)
  if (signal.aborted) throw cut()
  const providerMetadata: ProviderMetadata = { scripted: { position: stage.position } }
  if ('error' in item || 'hang' in item) {
    for (const text of wordsOf(item.text ?? '')) yield { type: 'text-delta', text }
    if ('hang' in item) await pause(stage.clock, undefined, signal)
    else yield faultPart(item)
    return
  }
  for (const message of item.warnings ?? []) yield { type: 'warning', message }
  if (item.reasoning !== undefined) yield { type: 'reasoning-delta', text: item.reasoning }
  const calls = item.toolCalls ?? []
  const chunks = chunksOf(item)
  // The first part carries the position; a reply without text and calls is an empty text that carries it.
  if (chunks.length === 0 && calls.length === 0) yield { type: 'text-delta', text: '', providerMetadata }
  for (const [index, text] of chunks.entries()) {
    yield index === 0 ? { type: 'text-delta', text, providerMetadata } : { type: 'text-delta', text }
    if (signal.aborted) throw cut()
  }
  for (const [index, call] of calls.entries()) {
    const input = call.rawInput === undefined ? { input: call.input ?? {} } : parseToolInput(call.rawInput)
    const toolCallId = call.toolCallId ?? `call_${stage.position + 1}_${index + 1}`
    yield {
      type: 'tool-call',
      toolCallId,
      name: call.name,
      ...input,
      ...(index === 0 && chunks.length === 0 ? { providerMetadata } : {}),
    }
  }
  yield { type: 'usage', usage: usageOf(item, stage.request) }
  yield { type: 'finish', reason: item.finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop') }
}

function faultPart(item: ScriptedFault): ModelPart {
  return {
    type: 'error',
    message: item.error,
    ...(item.retriable === undefined ? {} : { retriable: item.retriable }),
    ...(item.retryAfterMs === undefined ? {} : { retryAfterMs: item.retryAfterMs }),
    ...(item.status === undefined ? {} : { status: item.status }),
  }
}

function usageOf(item: ScriptedReply, request: ModelRequest): TokenUsage {
  const said = JSON.stringify(item.toolCalls ?? '')
  const output =
    estimateTokens(item.text ?? '') + estimateTokens(item.reasoning ?? '') + (item.toolCalls ? estimateTokens(said) : 0)
  const counted = { ...tokenUsage(estimateRequest(request), output), ...item.usage }
  return item.usage?.totalTokens === undefined
    ? { ...counted, totalTokens: counted.inputTokens + counted.outputTokens }
    : counted
}

function chunksOf(item: ScriptedReply): readonly string[] {
  if (typeof item.chunks === 'object') return item.chunks
  const text = item.text ?? ''
  if (item.chunks === undefined || text === '') return wordsOf(text)
  const size = Math.ceil(text.length / Math.max(1, item.chunks))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  )
}

/** Each piece is a word with its surrounding space, so that the joined pieces are the text. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s*|\s+/g) ?? []
}

/** Waits for `ms`, or for ever, but never longer than the call. */
function pause(clock: Clock, ms: number | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(cut())
    const stop = (): void => {
      cancel()
      reject(cut())
    }
    const done = (): void => {
      signal.removeEventListener('abort', stop)
      resolve()
    }
    const cancel = ms === undefined ? (): void => {} : clock.timer(ms, done)
    signal.addEventListener('abort', stop, { once: true })
  })
}

function cut(): MandateError {
  return new MandateError('CANCELLED', 'The model call was cut.')
}
