import { type Json, errorInfo, toPlain } from '../../core/index.ts'
import type { EmbeddingModel } from '../embedding.ts'
import { modelFailure } from '../failure.ts'
import type { Model, ModelCapabilities, ModelRequest } from '../model.ts'
import type { Deck } from './deck.ts'
import { streamThrough, valueThrough } from './playback.ts'

/** A model that is created with its first call: replay needs neither its package nor its key. */
export interface LazyModel {
  /** `provider/modelId`. */
  readonly id: string
  readonly capabilities?: ModelCapabilities | undefined
  open(): Model | Promise<Model>
}

/** A model that is recorded and played back. */
export function recordedModel(deck: Deck, given: Model | LazyModel): Model {
  let opened: Promise<Model> | undefined
  const open = (): Promise<Model> => (opened ??= (async () => ('open' in given ? given.open() : given))())
  const [provider, modelId] = 'open' in given ? splitId(given.id) : [given.provider, given.modelId]
  return {
    id: given.id,
    provider,
    modelId,
    capabilities: given.capabilities,
    stream: (request, call) =>
      streamThrough(deck, {
        kind: 'model',
        name: given.id,
        request: requestOf(request),
        signal: call.signal,
        open: async () => (await open()).stream(request, call),
        failure: (error) => errorInfo(modelFailure(error)),
        isLast: (part) => part.type === 'error',
      }),
    async info() {
      if (deck.mode === 'replay') return { ...given.capabilities, name: modelId }
      return (await (await open()).info?.()) ?? { ...given.capabilities, name: modelId }
    },
    async close() {
      if (opened !== undefined || !('open' in given)) await (await open()).close?.()
    },
  }
}

/** An embedding model that is recorded and played back. */
export function recordedEmbedding(deck: Deck, model: EmbeddingModel): EmbeddingModel {
  const { id, provider, modelId } = model
  return {
    id,
    provider,
    modelId,
    embed: (request, call) =>
      valueThrough(deck, {
        kind: 'value',
        name: id,
        request: toPlain(request).value,
        make: () => model.embed(request, call),
        failure: (error) => errorInfo(modelFailure(error)),
      }),
  }
}

/** The request without the members of messages that differ between runs: ids, times and metadata. */
function requestOf({ messages, ...rest }: ModelRequest): Json {
  return toPlain({ ...rest, messages: messages.map(({ role, content }) => ({ role, content })) }).value
}

function splitId(id: string): readonly [provider: string, modelId: string] {
  const slash = id.indexOf('/')
  return slash < 0 ? [id, id] : [id.slice(0, slash), id.slice(slash + 1)]
}
