import { modelFailure } from '../../model/index.ts'
import { textOf, toolCallsOf, userMessage } from '../../model/index.ts'
import type { Model, ModelPart, ModelRequest } from '../../model/index.ts'
import { collectReply } from '../../model/index.ts'
import type { TokenUsage } from '../../model/index.ts'
import type { LlmCallOptions, LlmClient, LlmMessage, LlmUsage } from './llm-client-types.ts'
import { type PlainMessage, plainCall, readPlainMessages, readPlainTools } from '../../chat/index.ts'

/**
 * Creates a client with `call`, `stream`, `getModelInfo` and `close` from a model.
 *
 * @example
 * ```ts
 * import { scripted } from 'mandate/model'
 * import { toLlmClient } from 'mandate/compat'
 * const client = toLlmClient(scripted(['Hello.']))
 * const response = await client.call('Say hello.')
 * ```
 */
export function toLlmClient(model: Model): LlmClient {
  const ask = (prompt: string | readonly LlmMessage[], options: LlmCallOptions = {}): AsyncIterable<ModelPart> =>
    model.stream(modelRequest(prompt, options), {
      signal: options.signal ?? new AbortController().signal,
      attempt: 1,
      idempotencyKey: '',
    })
  return {
    async call(prompt, options) {
      const { message, usage, finishReason } = await collectReply(ask(prompt, options))
      const toolCalls = toolCallsOf(message).map(plainCall)
      return {
        text: textOf(message),
        finishReason,
        usage: llmUsage(usage),
        ...(toolCalls.length === 0 ? {} : { toolCalls }),
      }
    },
    async *stream(prompt, options) {
      for await (const part of ask(prompt, options)) {
        if (part.type === 'error') throw modelFailure(part)
        if (part.type === 'text-delta') yield { text: part.text }
        if (part.type === 'tool-call' && part.providerExecuted !== true) yield { toolCall: plainCall(part) }
        if (part.type === 'usage') yield { usage: llmUsage(part.usage) }
        if (part.type === 'finish') yield { finishReason: part.reason }
      }
    },
    async getModelInfo() {
      const told = await model.info?.()
      const can = { ...model.capabilities, ...told }
      const maxTokens = can.maxOutputTokens ?? can.contextTokens
      return {
        name: told?.name ?? model.id,
        supportsStreaming: can.streaming !== false,
        ...(maxTokens === undefined ? {} : { maxTokens }),
      }
    },
    close: async () => model.close?.(),
  }
}

function llmUsage({ inputTokens, outputTokens, totalTokens }: TokenUsage): LlmUsage {
  return { promptTokens: inputTokens, completionTokens: outputTokens, totalTokens }
}

function modelRequest(prompt: string | readonly LlmMessage[], options: LlmCallOptions): ModelRequest {
  const { tools = [], maxTokens, temperature, seed } = options
  return {
    messages: typeof prompt === 'string' ? [userMessage(prompt)] : readPlainMessages(prompt.map(plainMessage)),
    ...(tools.length === 0 ? {} : { tools: readPlainTools(tools) }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(seed === undefined ? {} : { seed }),
  }
}

function plainMessage({ role, content, toolCalls = [], toolCallId, name }: LlmMessage): PlainMessage {
  return { role, content, calls: toolCalls, callId: toolCallId, name }
}
