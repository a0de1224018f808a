import type { Message, Part, ToolResultPart } from '../../model/index.ts'
import { systemMessage, toolCallsOf } from '../../model/index.ts'
import type { Model, ModelPart, ModelRequest } from '../../model/index.ts'
import { type ModelReply, collectReply } from '../../model/index.ts'
import { chatCall, chatCallPart } from './chat-calls.ts'
import type { ChatBlock, ChatMessage, ChatProvider, ChatRequest, ChatResponse } from './chat-types.ts'

/**
 * Creates a provider with `chat` and `chatStream` from a model, or from a function that finds a model by the name in the request.
 *
 * @example
 * ```ts
 * import { scripted } from 'mandate/model'
 * import { toChatProvider } from 'mandate/compat'
 * const provider = toChatProvider(scripted(['Hello.']))
 * const { textBlocks } = await provider.chat({ model: 'any', messages: [{ role: 'user', content: 'Hi' }] })
 * ```
 */
export function toChatProvider(model: Model | ((name: string) => Model), name?: string): ChatProvider {
  const find = typeof model === 'function' ? model : (): Model => model
  const ask = async (request: ChatRequest, onPart?: (part: ModelPart) => void): Promise<ChatResponse> => {
    const signal = request.signal ?? new AbortController().signal
    const asked = modelRequest(request)
    return chatResponse(
      await collectReply(find(request.model).stream(asked, { signal, attempt: 1, idempotencyKey: '' }), onPart, asked),
    )
  }
  return {
    name: name ?? (typeof model === 'function' ? 'mandate' : model.provider),
    chat: (request) => ask(request),
    chatStream: (request, { onTextDelta }) =>
      ask(request, (part) => part.type === 'text-delta' && onTextDelta?.(part.text)),
  }
}

function chatResponse({ message, finishReason, usage }: ModelReply): ChatResponse {
  const calls = toolCallsOf(message).map(chatCall)
  const isCut = finishReason === 'length'
  return {
    textBlocks: message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    toolCalls: calls,
    stopReason: isCut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
  }
}

function modelRequest({ systemPrompt, messages, tools, maxTokens }: ChatRequest): ModelRequest {
  const names = new Map<string, string>()
  return {
    messages: [
      ...(systemPrompt === undefined || systemPrompt === '' ? [] : [systemMessage(systemPrompt)]),
      ...messages.flatMap((message) => readMessage(message, names)),
    ],
    ...(tools === undefined || tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            name,
            description,
            inputSchema: inputSchema as never,
          })),
        }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
  }
}

/** Converts a message. Results of tools become a separate message before the rest of the content; `names` maps ids of calls to names of tools. */
function readMessage({ role, content }: ChatMessage, names: Map<string, string>): readonly Message[] {
  const blocks: readonly ChatBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  for (const block of blocks) if (block.type === 'tool_use') names.set(block.id, block.name)
  const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [resultOf(block, names)] : []))
  const rest = blocks.flatMap(partOf)
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
    ...(rest.length === 0 ? [] : [{ role, content: rest }]),
  ]
}

function partOf(block: ChatBlock): Part[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }]
    case 'tool_use':
      return [chatCallPart(block)]
    case 'image':
      return [
        {
          type: 'image',
          mediaType: block.mediaType ?? block.source?.media_type ?? 'image/*',
          data: block.data ?? block.source?.data ?? '',
        },
      ]
    default:
      return []
  }
}

function resultOf(block: Extract<ChatBlock, { type: 'tool_result' }>, names: Map<string, string>): ToolResultPart {
  const toolCallId = block.tool_use_id ?? block.toolUseId ?? ''
  const status = (block.is_error ?? block.isError) === true ? 'error' : 'ok'
  return { type: 'tool-result', toolCallId, name: names.get(toolCallId) ?? '', status, value: block.content }
}
