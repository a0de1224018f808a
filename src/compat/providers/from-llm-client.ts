import { cutBy, untilCut } from '../../model/index.ts'
import { namesOf } from '../../model/index.ts'
import type { Model, ModelCallContext, ModelInfo, ModelPart, ModelRequest } from '../../model/index.ts'
import type { LlmCallOptions, LlmChunk, LlmClient, LlmMessage, LlmResponse } from './llm-client-types.ts'
import { callPart, plainMessages, plainTools } from '../../chat/index.ts'
import { badAnswer, checkShape } from '../../chat/index.ts'
import { lossOf, readReason, readUntilCut, readUsage } from '../../chat/index.ts'

/**
 * Creates a model from a client with `call`. `id` (`provider/model`) identifies it in prices and journals. Closing the model closes the client.
 *
 * @example
 * ```ts
 * import { type LlmClient, fromLlmClient } from 'mandate/compat'
 * declare const client: LlmClient
 * const model = fromLlmClient(client, 'ollama/qwen3-coder:30b')
 * ```
 */
export function fromLlmClient(client: LlmClient, id: string): Model {
  checkShape(client, { what: 'client with `call`', methods: ['call'] })
  const names = namesOf({ provider: '', modelId: '' }, id)
  return {
    ...names,
    capabilities: { tools: true, streaming: client.stream !== undefined },
    async *stream(request: ModelRequest, { signal }: ModelCallContext): AsyncGenerator<ModelPart> {
      if (signal.aborted) throw cutBy(signal)
      yield* lossOf(request.messages)
      const messages = llmMessages(request)
      const options = llmOptions(request, signal)
      if (client.stream === undefined)
        return yield* wholeParts(await untilCut(client.call(messages, options), signal), names.provider)
      for await (const chunk of readUntilCut(client.stream(messages, options), signal)) yield* chunkParts(chunk)
    },
    ...(client.getModelInfo === undefined ? {} : { info: () => modelInfo(client) }),
    ...(client.close === undefined ? {} : { close: () => client.close!() }),
  }
}

async function modelInfo(client: LlmClient): Promise<ModelInfo> {
  const { name, maxTokens, supportsStreaming } = await client.getModelInfo!()
  return {
    name,
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(supportsStreaming === undefined ? {} : { streaming: supportsStreaming }),
  }
}

function* wholeParts(response: LlmResponse, provider: string): Generator<ModelPart> {
  if (typeof response === 'string') return yield* chunkParts(response)
  if (typeof response !== 'object' || response === null) throw badAnswer(provider, 'neither a text nor an object')
  const { text, toolCalls = [], finishReason, usage } = response
  yield* chunkParts(text)
  for (const toolCall of toolCalls) yield* chunkParts({ toolCall })
  yield* chunkParts({ finishReason, usage })
}

function* chunkParts(chunk: LlmChunk): Generator<ModelPart> {
  const { text, toolCall, finishReason, usage } = typeof chunk === 'string' ? { text: chunk } : chunk
  if (text !== undefined && text !== '') yield { type: 'text-delta', text }
  if (toolCall !== undefined) yield callPart(toolCall)
  const counted = readUsage(usage)
  if (counted !== undefined) yield { type: 'usage', usage: counted }
  if (finishReason !== undefined)
    yield { type: 'finish', reason: readReason(finishReason) ?? 'other', raw: finishReason }
}

function llmOptions(
  { tools = [], maxOutputTokens, temperature, seed }: ModelRequest,
  signal: AbortSignal,
): LlmCallOptions {
  return {
    signal,
    ...(tools.length === 0 ? {} : { tools: plainTools(tools) }),
    ...(maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(seed === undefined ? {} : { seed }),
  }
}

function llmMessages({ messages }: ModelRequest): readonly LlmMessage[] {
  return plainMessages(messages).map(({ role, content, calls, callId, name }) => ({
    role,
    content,
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(callId === undefined ? {} : { toolCallId: callId, name }),
  }))
}
