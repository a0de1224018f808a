import { modelFailure } from '../../model/index.ts'
import type { Model, ModelPart, ModelRequest } from '../../model/index.ts'
import { collectReply } from '../../model/index.ts'
import type { Provider, ProviderCall, ProviderRequest, ProviderResponseChunk } from './provider-types.ts'
import { plainCall, readPlainMessages, readPlainTools } from './plain-messages.ts'

/**
 * Makes a provider with `complete` and `stream` from a model, or from a function that returns the model for a name.
 *
 * @example
 * ```ts
 * import { scripted } from 'mandate/model'
 * import { toAtlasProvider } from 'mandate/compat'
 * const provider = toAtlasProvider(scripted(['Hello.']))
 * const chunks = await provider.complete({ model: 'any', messages: [{ role: 'user', content: 'Hi' }] })
 * ```
 */
export function toAtlasProvider(model: Model | ((name: string) => Model), id?: string): Provider {
  const find = typeof model === 'function' ? model : (): Model => model
  const known = typeof model === 'function' ? undefined : model
  const ask = (request: ProviderRequest, given?: ProviderCall): AsyncIterable<ModelPart> => {
    const call = { signal: given?.signal ?? new AbortController().signal, attempt: 1, idempotencyKey: '' }
    return find(request.model).stream(modelRequest(request), call)
  }
  return {
    id: id ?? known?.provider ?? 'mandate',
    capabilities: {
      streaming: known?.capabilities?.streaming ?? true,
      tools: known?.capabilities?.tools ?? true,
    },
    async complete(request, call) {
      const { message, usage, finishReason } = await collectReply(ask(request, call))
      return [...message.content.flatMap(chunkOf), { type: 'done', metadata: { usage, finishReason } }]
    },
    async *stream(request, call) {
      const told: Record<string, unknown> = {}
      for await (const part of ask(request, call)) {
        if (part.type === 'error') throw modelFailure(part)
        if (part.type === 'usage') told['usage'] = part.usage
        if (part.type === 'finish') told['finishReason'] = part.reason
        yield* chunkOf(part)
      }
      yield { type: 'done', metadata: told }
    },
  }
}

/** Converts text and calls, whole or in deltas, to chunks. Calls that the provider executes itself are left out. */
function chunkOf(part: { readonly type: string }): ProviderResponseChunk[] {
  const said = part as ModelPart | { readonly type: 'text'; readonly text: string }
  if (said.type === 'text' || said.type === 'text-delta') return [{ type: 'text', text: said.text }]
  if (said.type !== 'tool-call' || said.providerExecuted === true) return []
  return [{ type: 'tool_call', toolCall: plainCall(said) }]
}

function modelRequest({ messages, tools = [], toolChoice, temperature, maxTokens }: ProviderRequest): ModelRequest {
  const choice =
    toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none' ? toolChoice : { tool: toolChoice }
  const plain = messages.map(({ role, content, name, tool_calls = [], tool_call_id }) => {
    return { role, content: content ?? '', calls: tool_calls, callId: tool_call_id, name }
  })
  return {
    messages: readPlainMessages(plain),
    ...(tools.length === 0 ? {} : { tools: readPlainTools(tools) }),
    ...(choice === undefined ? {} : { toolChoice: choice }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
  }
}
