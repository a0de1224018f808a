import { MandateError, isRecord } from '../../core/index.ts'
import type { EmbeddingModel } from '../../model/index.ts'

/** Turns texts into vectors, one for each. */
export type EmbedTexts = (texts: readonly string[], signal: AbortSignal) => Promise<readonly (readonly number[])[]>

export interface Embedder {
  /** Vectors of two models cannot be compared: what has another id is embedded again. */
  readonly id: string
  readonly embed: EmbedTexts
}

/** An embedding model, or a function that stands for one. */
export function embedderOf(given: EmbeddingModel | EmbedTexts | undefined): Embedder | undefined {
  if (given === undefined) return undefined
  if (typeof given === 'function') return { id: 'function', embed: checked(given) }
  if (!isRecord(given) || typeof given.embed !== 'function')
    throw new MandateError(
      'CONFIG_INVALID',
      '`embed` must be an embedding model (such as `fromAiSdkEmbedding(model)`) or a function from texts to vectors.',
    )
  const embed: EmbedTexts = async (values, signal) =>
    (await given.embed({ values }, { signal, attempt: 1, idempotencyKey: 'documents' })).embeddings
  return { id: given.id, embed: checked(embed) }
}

function checked(embed: EmbedTexts): EmbedTexts {
  return async (texts, signal) => {
    if (texts.length === 0) return []
    const vectors = await embed(texts, signal)
    if (Array.isArray(vectors) && vectors.length === texts.length) return vectors
    throw new MandateError('CONNECTOR_FAILED', `\`embed\` must give one vector for each of the ${texts.length} texts.`)
  }
}
