import { cutBy, untilCut } from '../../model/index.ts'
import type { Model, ModelCallContext, ModelPart, ModelRequest } from '../../model/index.ts'
import type { AtlasChunk, AtlasProvider, AtlasRequest } from './atlas-types.ts'
import { callPart, plainMessages, plainTools } from './plain-messages.ts'
import { badAnswer, checkShape } from './shape-check.ts'
import { lossOf, readReason, readUntilCut, readUsage } from './plain-parts.ts'

/**
 * Makes a model of a provider with `complete` and `stream`. It is streamed when the provider says that it can be.
 *
 * @example
 * ```ts
 * import { type AtlasProvider, fromAtlasProvider } from 'mandate/compat'
 * declare const provider: AtlasProvider
 * const model = fromAtlasProvider(provider, 'gpt-4o')
 * ```
 */
export function fromAtlasProvider(provider: AtlasProvider, modelId: string): Model {
  checkShape(provider, { what: 'provider with `complete` and `stream`', methods: ['complete'], named: 'id' })
  const told: Partial<AtlasProvider['capabilities']> = (provider as Partial<AtlasProvider>).capabilities ?? {}
  const { streaming = typeof provider.stream === 'function', tools = true } = told
  return {
    id: `${provider.id}/${modelId}`,
    provider: provider.id,
    modelId,
    capabilities: { streaming, tools },
    async *stream(request: ModelRequest, { signal }: ModelCallContext): AsyncGenerator<ModelPart> {
      if (signal.aborted) throw cutBy(signal)
      yield* lossOf(request.messages)
      const asked = atlasRequest(request, modelId, tools)
      if (asked.tools !== undefined && request.toolChoice === 'required') {
        yield { type: 'warning', message: 'This model cannot be made to call a tool; it was left to choose.' }
      }
      if (streaming) for await (const chunk of readUntilCut(provider.stream(asked), signal)) yield* partsOf(chunk)
      else
        for (const chunk of listOf(await untilCut(provider.complete(asked), signal), provider.id)) yield* partsOf(chunk)
    },
  }
}

function listOf(answer: readonly AtlasChunk[], provider: string): readonly AtlasChunk[] {
  if (Array.isArray(answer)) return answer
  throw badAnswer(provider, 'no list of chunks')
}

function atlasRequest(request: ModelRequest, model: string, withTools: boolean): AtlasRequest {
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

function* partsOf({ type, text, toolCall, metadata }: AtlasChunk): Generator<ModelPart> {
  if (type === 'text' && text !== undefined) yield { type: 'text-delta', text }
  if (type === 'tool_call' && toolCall !== undefined) yield callPart(toolCall)
  if (type !== 'done') return
  const usage = readUsage(metadata?.['usage'])
  if (usage !== undefined) yield { type: 'usage', usage }
  const reason = readReason(metadata?.['finishReason'])
  if (reason !== undefined) yield { type: 'finish', reason }
}
