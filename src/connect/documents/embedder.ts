import { MandateError, isRecord } from '../../core/index.ts'
import { estimateTokens } from '../../model/index.ts'
import type { EmbeddingModel } from '../../model/index.ts'
import type { ToolContext } from '../../tool/index.ts'

/** Embeds texts: one vector for each. */
export type EmbedTexts = (texts: readonly string[], signal: AbortSignal) => Promise<readonly (readonly number[])[]>

export interface Embedder {
  /** Vectors of two models are not comparable: chunks with another id are embedded again. */
  readonly id: string
  readonly embed: EmbedTexts
  /** The same during a tool call: as an effect of the run, if there is one. */
  readonly embedIn: (context: ToolContext) => EmbedTexts
}

/** The embedder of an embedding model or a function. */
export function embedderOf(given: EmbeddingModel | EmbedTexts | undefined): Embedder | undefined {
  if (given === undefined) return undefined
  const model = typeof given === 'function' ? functionModel(given) : given
  if (!isRecord(model) || typeof model.embed !== 'function' || typeof model.id !== 'string')
    throw new MandateError(
      'CONFIG_INVALID',
      '`embed` must be an embedding model (such as `fromAiSdkEmbedding(model)`) or a function from texts to vectors.',
    )
  const embed = checked(
    async (values, signal) =>
      (await model.embed({ values }, { signal, attempt: 1, idempotencyKey: 'documents' })).embeddings,
  )
  return {
    id: model.id,
    embed,
    embedIn: (context) =>
      context.embed === undefined ? embed : checked((values) => context.embed!({ model, values })),
  }
}

/** Wraps a function, which has no price: its calls and tokens are counted and cost nothing. */
function functionModel(embed: EmbedTexts): EmbeddingModel {
  const id = 'function'
  return {
    ...{ id, provider: id, modelId: id, local: true },
    async embed({ values }, { signal }) {
      const embeddings = await checked(embed)(values, signal)
      return { embeddings, usage: { inputTokens: estimateTokens(values.join(' ')), estimated: true }, warnings: [] }
    },
  }
}

function checked(embed: EmbedTexts): EmbedTexts {
  return async (texts, signal) => {
    if (texts.length === 0) return []
    const vectors = await embed(texts, signal)
    if (Array.isArray(vectors) && vectors.length === texts.length) return vectors
    throw new MandateError('CONNECTOR_FAILED', `\`embed\` must give one vector for each of the ${texts.length} texts.`)
  }
}
