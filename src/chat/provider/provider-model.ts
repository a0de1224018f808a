import { MandateError, isRecord } from '../../core/index.ts'
import { cutBy, untilCut } from '../../model/index.ts'
import type { Model, ModelCallContext, ModelPart, ModelRequest } from '../../model/index.ts'
import { callPart, plainMessages, plainTools } from './plain-messages.ts'
import type { Provider, ProviderRequest, ProviderResponseChunk } from './provider-types.ts'
import { badAnswer, checkShape } from './shape-check.ts'
import { lossOf, readReason, readUntilCut, readUsage } from './plain-parts.ts'

/** Whether a call needs its answer in one piece. */
type IsWhole = (call: ModelCallContext) => boolean

/**
 * Makes a model from a provider with `complete` and `stream`. It streams if the provider can.
 *
 * @example
 * ```ts
 * import { type AtlasProvider, fromAtlasProvider } from 'mandate/compat'
 * declare const provider: AtlasProvider
 * const model = fromAtlasProvider(provider, 'gpt-4o')
 * ```
 */
export function fromAtlasProvider(provider: Provider, modelId: string): Model {
  return providerModel(provider, modelId, () => false)
}

/** Makes a model from a provider. Calls for which `isWhole` returns true use `complete`. */
export function providerModel(provider: Provider, modelId: string, isWhole: IsWhole): Model {
  checkShape(provider, { what: 'provider with `complete` and `stream`', methods: ['complete'], named: 'id' })
  const { streaming, tools } = capabilitiesOf(provider)
  return {
    id: `${provider.id}/${modelId}`,
    provider: provider.id,
    modelId,
    capabilities: { streaming, tools },
    async *stream(request: ModelRequest, call: ModelCallContext): AsyncGenerator<ModelPart> {
      const { signal } = call
      if (signal.aborted) throw cutBy(signal)
      yield* lossOf(request.messages)
      const asked = providerRequest(request, modelId, tools)
      if (asked.tools !== undefined && request.toolChoice === 'required') {
        yield { type: 'warning', message: 'This model cannot be made to call a tool; it was left to choose.' }
      }
      if (streaming && !isWhole(call))
        for await (const chunk of untilDone(readUntilCut(provider.stream(asked, { signal }), signal)))
          yield* partsOf(chunk)
      else
        for (const chunk of listOf(await untilCut(provider.complete(asked, { signal }), signal), provider.id))
          yield* partsOf(chunk)
    },
  }
}

/** Returns the capabilities that a provider declares, with defaults from its shape. */
export function capabilitiesOf(provider: Provider): Provider['capabilities'] {
  const told: Partial<Provider['capabilities']> = (provider as Partial<Provider>).capabilities ?? {}
  const { streaming = typeof provider.stream === 'function', tools = true } = told
  return { streaming, tools }
}

/** Ends at `done`, without waiting for a provider that keeps its connection open. */
async function* untilDone(chunks: AsyncIterable<ProviderResponseChunk>): AsyncGenerator<ProviderResponseChunk> {
  for await (const chunk of chunks) {
    yield chunk
    if (chunk.type === 'done') return
  }
}

function listOf(answer: readonly ProviderResponseChunk[], provider: string): readonly ProviderResponseChunk[] {
  if (Array.isArray(answer)) return answer
  throw badAnswer(provider, 'no list of chunks')
}

/** Converts a model request to a provider request. */
export function providerRequest(request: ModelRequest, model: string, withTools: boolean): ProviderRequest {
  const { messages, tools = [], toolChoice, temperature, maxOutputTokens } = request
  const hasTools = withTools && tools.length > 0
  const choice = typeof toolChoice === 'object' ? toolChoice.tool : toolChoice === 'required' ? 'auto' : toolChoice
  return {
    model,
    messages: plainMessages(messages).map(({ role, content, calls, callId, name }) => ({
      role,
      content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(callId === undefined ? {} : { tool_call_id: callId, name }),
    })),
    ...(hasTools ? { tools: plainTools(tools) } : {}),
    ...(hasTools && choice !== undefined ? { toolChoice: choice } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens }),
  }
}

/** Converts a chunk to parts of a model's answer. */
export function* partsOf(chunk: ProviderResponseChunk): Generator<ModelPart> {
  const { type, text, toolCall, metadata } = checkChunk(chunk)
  if (type === 'text' && text !== undefined) yield { type: 'text-delta', text }
  if (type === 'tool_call') yield callPart(toolCall!)
  if (type !== 'done') return
  const usage = readUsage(metadata?.['usage'])
  if (usage !== undefined) yield { type: 'usage', usage }
  const reason = readReason(metadata?.['finishReason'])
  if (reason !== undefined) yield { type: 'finish', reason }
}

/** Throws on a chunk that cannot be read. If a malformed call were dropped, the answer would look complete. */
function checkChunk(chunk: ProviderResponseChunk): ProviderResponseChunk {
  const isCallWithoutName = chunk?.type === 'tool_call' && typeof chunk.toolCall?.name !== 'string'
  if (isRecord(chunk) && !isCallWithoutName) return chunk
  const what = isRecord(chunk)
    ? 'a `tool_call` without `toolCall` { id, name, arguments }'
    : 'a chunk that is no object'
  throw new MandateError('MODEL_FAILED', `The provider answered with ${what}.`, { info: { retriable: false } })
}
