import { type Json, toPlain } from '../core/index.ts'
import { estimateRequest, estimateTokens } from './estimate.ts'
import type { Message, Part, ProviderMetadata } from './message.ts'
import type { FinishReason, ModelPart, ModelRequest, ReasoningDelta, TextDelta, ToolCallOut } from './model.ts'
import { reportedUsage, tokenUsage } from './usage.ts'
import type { ReportedUsage, TokenUsage } from './usage.ts'
import { modelFailure } from './failure.ts'

/** A complete answer of a model, as plain data. */
export type ModelReply = {
  readonly message: Message
  readonly finishReason: FinishReason
  readonly usage: TokenUsage
  readonly warnings: readonly string[]
  readonly providerMetadata?: ProviderMetadata
}

/**
 * Folds a stream into one reply, so that streamed and complete text are equal by construction. `onPart` gets every part before it is folded, and is
 * awaited if it returns a promise. A stream without usage or finish reason is accepted with a warning; usage is then estimated (with the `request`,
 * also its input). An `error` part, or whatever the model throws, becomes a `MandateError` `MODEL_FAILED`.
 *
 * @example
 * ```ts
 * import { collectReply, scripted, textOf, userMessage } from 'mandate/model'
 * const call = { signal: new AbortController().signal, attempt: 1, idempotencyKey: 'k' }
 * const reply = await collectReply(scripted(['Hello.']).stream({ messages: [userMessage('Hi')] }, call))
 * textOf(reply.message) // 'Hello.'
 * ```
 */
export async function collectReply(
  parts: AsyncIterable<ModelPart> | Iterable<ModelPart>,
  onPart?: (part: ModelPart) => unknown,
  request?: ModelRequest,
): Promise<ModelReply> {
  const fold = new ReplyFold()
  // A listener's own error is not the model's: it is rethrown as it is.
  let listenerFailed = false
  try {
    for await (const part of parts) {
      listenerFailed = true
      const heard = onPart?.(part)
      if (heard instanceof Promise) await heard
      listenerFailed = false
      if (part.type === 'error') throw modelFailure(part)
      fold.add(part)
    }
  } catch (error) {
    throw listenerFailed ? error : modelFailure(error)
  }
  return fold.end(request)
}

/** Parses the arguments of a tool call as a model wrote them: empty text means no arguments, and text that is not JSON is kept. */
export function parseToolInput(text: string): { readonly input: Json; readonly invalid?: string } {
  if (text.trim() === '') return { input: {} }
  try {
    return { input: JSON.parse(text) as Json }
  } catch {
    return { input: null, invalid: text }
  }
}

interface OpenBlock {
  readonly type: 'text' | 'reasoning'
  readonly id: string | undefined
  text: string
  metadata: ProviderMetadata | undefined
}

class ReplyFold {
  readonly #content: (Part | OpenBlock)[] = []
  readonly #warnings: string[] = []
  readonly #callIds = new Set<string>()
  #usage: ReportedUsage | undefined
  #reason: FinishReason | undefined
  #metadata: ProviderMetadata | undefined

  add(part: ModelPart): void {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return this.#addDelta(part)
      case 'tool-call':
        return void this.#content.push(this.#callPart(part))
      case 'tool-result':
        return void this.#content.push({ ...part, value: toPlain(part.value).value, providerExecuted: true })
      case 'file':
        return void this.#content.push({ ...part, type: part.mediaType.startsWith('image/') ? 'image' : 'file' })
      case 'custom': {
        const { ephemeral, ...kept } = part
        if (ephemeral !== true) this.#content.push({ ...kept, data: toPlain(kept.data).value })
        return
      }
      case 'usage':
        this.#usage = reportedUsage(part.usage)
        return
      case 'finish':
        this.#reason = part.reason
        this.#metadata = part.providerMetadata
        return
      case 'warning':
        return void this.#warnings.push(part.message)
      default:
        // Unknown part types of a newer specification become a warning: failing would waste a paid call.
        this.#warnings.push(
          `A part of an unknown kind was left out: ${JSON.stringify((part as { type?: unknown }).type)}.`,
        )
    }
  }

  #addDelta(part: TextDelta | ReasoningDelta): void {
    const type = part.type === 'text-delta' ? 'text' : 'reasoning'
    const block = this.#blockOf(type, part.id)
    if (block === undefined) {
      this.#content.push({ type, id: part.id, text: part.text, metadata: part.providerMetadata })
      return
    }
    block.text += part.text
    if (part.providerMetadata !== undefined) block.metadata = { ...block.metadata, ...part.providerMetadata }
  }

  /** The open block that a delta continues: the last one, unless ids distinguish parallel blocks. */
  #blockOf(type: OpenBlock['type'], id: string | undefined): OpenBlock | undefined {
    const last = this.#content.at(-1)
    if (isBlock(last, type, id)) return last
    return id === undefined ? undefined : this.#content.findLast((one) => isBlock(one, type, id))
  }

  /** Providers are supposed to give unique ids; two calls of one reply with the same id could not be answered. */
  #callPart(part: ToolCallOut): Part {
    let id = part.toolCallId === '' ? `call_${this.#callIds.size + 1}` : part.toolCallId
    for (let n = 2; this.#callIds.has(id); n++) id = `${part.toolCallId || 'call'}_${n}`
    this.#callIds.add(id)
    return { ...part, toolCallId: id, input: toPlain(part.input).value }
  }

  end(request: ModelRequest | undefined): ModelReply {
    const content = this.#content
      .map(closeBlock)
      .filter((part) => part.type !== 'text' || part.text !== '' || part.providerMetadata)
    // Here and below the members are in canonical order, so that they need not be sorted.
    const message: Message = { content, role: 'assistant' }
    const hasCalls = content.some((part) => part.type === 'tool-call' && part.providerExecuted !== true)
    if (this.#reason === undefined) this.#warnings.push('The model ended its answer without saying why.')
    const finishReason = this.#reason ?? (hasCalls ? 'tool-calls' : content.length > 0 ? 'stop' : 'other')
    const usage = this.#usageOf(message, request)
    const warnings = this.#warnings
    return this.#metadata === undefined
      ? { finishReason, message, usage, warnings }
      : { finishReason, message, providerMetadata: this.#metadata, usage, warnings }
  }

  /** Budgets add these numbers up: missing or invalid counts are estimated and never taken as zero. */
  #usageOf(message: Message, request: ModelRequest | undefined): TokenUsage {
    const told = credibleUsage(this.#usage, message, request)
    if (told?.wrong.length === 0 && told.inputTokens !== undefined && told.outputTokens !== undefined)
      return usageFrom(told, told.inputTokens, told.outputTokens)
    this.#warnings.push(
      told === undefined || told.wrong.length === 0
        ? 'The model did not say its token usage; it was estimated.'
        : `The model reported a token usage that cannot be (${told.wrong.join(', ')}); it was estimated.`,
    )
    const input = told?.inputTokens ?? (request === undefined ? 0 : estimateRequest(request))
    const output = told?.outputTokens ?? estimateTokens([message])
    return { ...(told === undefined ? tokenUsage(input, output) : usageFrom(told, input, output)), estimated: true }
  }
}

/** The same without counts of zero that cannot be: no request is empty, and nothing that was written took no tokens. */
function credibleUsage(
  told: ReportedUsage | undefined,
  { content }: Message,
  request: ModelRequest | undefined,
): ReportedUsage | undefined {
  if (told === undefined) return undefined
  const isInputZero = told.inputTokens === 0 && request !== undefined && request.messages.length > 0
  const isOutputZero = told.outputTokens === 0 && content.length > 0
  if (!isInputZero && !isOutputZero) return told
  return {
    ...told,
    ...(isInputZero ? { inputTokens: undefined } : {}),
    ...(isOutputZero ? { outputTokens: undefined } : {}),
    wrong: [
      ...told.wrong,
      ...(isInputZero ? ['inputTokens: 0'] : []),
      ...(isOutputZero ? ['outputTokens: 0 beside what it wrote'] : []),
    ],
  }
}

/** A missing total is the sum; one that is less than the sum is ignored. */
function usageFrom(told: ReportedUsage, inputTokens: number, outputTokens: number): TokenUsage {
  const { cachedInputTokens, cacheWriteInputTokens, reasoningTokens } = told
  return {
    inputTokens,
    outputTokens,
    totalTokens: Math.max(told.totalTokens ?? 0, inputTokens + outputTokens),
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...(cacheWriteInputTokens === undefined ? {} : { cacheWriteInputTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(told.isEstimated ? { estimated: true } : {}),
  }
}

function isBlock(one: Part | OpenBlock | undefined, type: OpenBlock['type'], id: string | undefined): one is OpenBlock {
  return one !== undefined && one.type === type && 'metadata' in one && one.id === id
}

function closeBlock(part: Part | OpenBlock): Part {
  if (!('metadata' in part)) return part
  const { type, text, metadata } = part
  return metadata === undefined ? { type, text } : { type, text, providerMetadata: metadata }
}
