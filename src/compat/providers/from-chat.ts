import { cutBy, untilCut } from '../../model/index.ts'
import { type Message, type Part, type ToolResultPart, textOf } from '../../model/index.ts'
import type { FinishReason, Model, ModelCallContext, ModelPart, ModelRequest } from '../../model/index.ts'
import { chatCall, chatCallPart } from './chat-calls.ts'
import type { ChatBlock, ChatMessage, ChatProvider, ChatRequest, ChatResponse } from './chat-types.ts'
import { DeltaQueue } from './delta-queue.ts'
import { readUsage, resultText } from '../../chat/index.ts'
import { answerWith, checkShape } from '../../chat/index.ts'

/**
 * Creates a model from a provider with `chat` and, if it streams, `chatStream`.
 *
 * @example
 * ```ts
 * import { type ChatProvider, fromChatProvider } from 'mandate/compat'
 * declare const provider: ChatProvider
 * const model = fromChatProvider(provider, 'claude-sonnet-5')
 * ```
 */
export function fromChatProvider(provider: ChatProvider, modelId: string): Model {
  checkShape(provider, { what: 'provider with `chat`', methods: ['chat'], named: 'name' })
  const read = (response: ChatResponse): ChatResponse =>
    answerWith(response, ['textBlocks', 'toolCalls'], provider.name)
  return {
    id: `${provider.name}/${modelId}`,
    provider: provider.name,
    modelId,
    capabilities: { tools: true, streaming: provider.chatStream !== undefined, modalities: ['image'] },
    async *stream(request: ModelRequest, { signal }: ModelCallContext): AsyncGenerator<ModelPart> {
      if (signal.aborted) throw cutBy(signal)
      const asked = { ...chatRequest(request, modelId), signal }
      if (provider.chatStream === undefined)
        return yield* wholeParts(read(await untilCut(provider.chat(asked), signal)))
      const deltas = new DeltaQueue()
      const answering = untilCut(provider.chatStream(asked, { onTextDelta: (delta) => deltas.push(delta) }), signal)
      // A rejection is handled where the promise is awaited below.
      answering.then(deltas.end, deltas.end)
      let shown = ''
      for await (const text of deltas) {
        shown += text
        yield { type: 'text-delta', text }
      }
      yield* restOf(read(await answering), shown)
    },
  }
}

/** The parts of a response that were not streamed yet. */
function* restOf(response: ChatResponse, shown: string): Generator<ModelPart> {
  if (shown === '') return yield* wholeParts(response)
  const text = response.textBlocks.join('')
  if (text.startsWith(shown))
    yield* text.length > shown.length ? [{ type: 'text-delta' as const, text: text.slice(shown.length) }] : []
  else yield { type: 'warning', message: 'The whole text differs from what was streamed; the streamed text was kept.' }
  yield* endParts(response)
}

function* wholeParts(response: ChatResponse): Generator<ModelPart> {
  for (const [index, text] of response.textBlocks.entries()) yield { type: 'text-delta', text, id: String(index) }
  yield* endParts(response)
}

function* endParts({ toolCalls, stopReason, usage }: ChatResponse): Generator<ModelPart> {
  for (const call of toolCalls) yield chatCallPart(call)
  const counted = readUsage(usage)
  if (counted !== undefined) yield { type: 'usage', usage: counted }
  yield { type: 'finish', reason: REASONS[stopReason] ?? 'other', raw: stopReason }
}

const REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
}

function chatRequest({ messages, tools = [], maxOutputTokens }: ModelRequest, model: string): ChatRequest {
  const system = messages.filter(({ role }) => role === 'system').map(textOf)
  return {
    model,
    messages: messages.flatMap(chatMessages),
    ...(system.length === 0 ? {} : { systemPrompt: system.join('\n\n') }),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema })) }),
    ...(maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens }),
  }
}

function chatMessages({ role, content }: Message): ChatMessage[] {
  if (role === 'system') return []
  const blocks = content.flatMap(blockOf)
  if (blocks.length === 0) return []
  const [first] = blocks
  const isText = blocks.length === 1 && first?.type === 'text'
  return [{ role: role === 'assistant' ? 'assistant' : 'user', content: isText ? first.text : blocks }]
}

function blockOf(part: Part): ChatBlock[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'tool-call':
      return part.providerExecuted === true ? [] : [{ type: 'tool_use', ...chatCall(part) }]
    case 'tool-result':
      return part.providerExecuted === true ? [] : [resultBlock(part)]
    case 'image': {
      if (part.data === undefined) return []
      const { mediaType, data } = part
      return [{ type: 'image', source: { type: 'base64', media_type: mediaType, data }, mediaType, data }]
    }
    default:
      return []
  }
}

function resultBlock(result: ToolResultPart): ChatBlock {
  const { toolCallId, status } = result
  const block = {
    type: 'tool_result' as const,
    tool_use_id: toolCallId,
    toolUseId: toolCallId,
    content: resultText(result),
  }
  return status === 'ok' ? block : { ...block, is_error: true, isError: true }
}
