import { type Clock, MandateError, systemClock, checkFields, type FieldNames } from '../../core/index.ts'
import type { EmbedReply, EmbedRequest, EmbedUsage, EmbeddingModel } from '../embedding.ts'
import { estimateTokens } from '../estimate.ts'
import type { ProviderMetadata } from '../message.ts'
import type { ModelCallContext } from '../model.ts'
import { warningText } from './accounts.ts'
import { cutBy, untilCut } from './stream-cut.ts'
import { failureOf } from './failure.ts'
import { checkVersion, namesOf } from './from-ai-sdk.ts'
import { isOnLoopback } from '../prices/loopback.ts'
import { metadataOf } from './part-reader.ts'
import type { AiSdkEmbedOptions, AiSdkEmbeddingModel, AiSdkProviderOptions } from './spec.ts'

export interface FromAiSdkEmbeddingOptions {
  /** `provider/modelId`. Derived from the model's own names by default. */
  readonly id?: string | undefined
  /** Sent with every call; options of a request override them. */
  readonly providerOptions?: AiSdkProviderOptions | undefined
  /** For `Retry-After` dates. */
  readonly clock?: Clock | undefined
}

export const FROM_AI_SDK_EMBEDDING_OPTIONS: FieldNames<FromAiSdkEmbeddingOptions> = {
  id: true,
  providerOptions: 'object',
  clock: 'object',
}

/**
 * Wraps an embedding model of the AI SDK, of specification v2, v3 or v4. More texts than the provider accepts at once are sent in several sequential
 * calls, so that a rate limit is hit by one request and not by a hundred.
 *
 * @example
 * ```ts
 * import { openai } from '@ai-sdk/openai'
 * import { fromAiSdkEmbedding } from 'mandate/model'
 * const model = fromAiSdkEmbedding(openai.embeddingModel('text-embedding-3-small'))
 * ```
 */
export function fromAiSdkEmbedding(
  model: AiSdkEmbeddingModel,
  options: FromAiSdkEmbeddingOptions = {},
): EmbeddingModel {
  checkFields(options, 'an option of `fromAiSdkEmbedding`', FROM_AI_SDK_EMBEDDING_OPTIONS)
  const version = checkVersion(model)
  const names = namesOf(model, options.id)
  const always = options.providerOptions
  return {
    ...names,
    ...(isOnLoopback(model) ? { local: true } : {}),
    async embed(request: EmbedRequest, { signal }: ModelCallContext): Promise<EmbedReply> {
      const { values, dimensions } = request
      const extra: Omit<AiSdkEmbedOptions, 'values'> = {
        abortSignal: signal,
        ...(dimensions === undefined || version !== 'v4' ? {} : { dimensions }),
        ...(always === undefined && request.providerOptions === undefined
          ? {}
          : { providerOptions: { ...always, ...request.providerOptions } }),
      }
      try {
        const most = (await model.maxEmbeddingsPerCall) ?? values.length
        const pieces: Piece[] = []
        for (let at = 0; at < values.length; at += Math.max(1, most)) {
          pieces.push(await embedPiece(model, { ...extra, values: values.slice(at, at + Math.max(1, most)) }, signal))
        }
        const lost =
          dimensions !== undefined && version !== 'v4' ? [`dimensions cannot be asked of a ${version} model`] : []
        return joinPieces(pieces, lost)
      } catch (error) {
        throw signal.aborted ? cutBy(signal) : failureOf(error, names.id, options.clock ?? systemClock)
      }
    },
  }
}

interface Piece {
  readonly embeddings: readonly (readonly number[])[]
  readonly usage: EmbedUsage
  readonly warnings: readonly string[]
  readonly metadata: ProviderMetadata | undefined
}

async function embedPiece(model: AiSdkEmbeddingModel, asked: AiSdkEmbedOptions, signal: AbortSignal): Promise<Piece> {
  const { embeddings, usage, warnings = [], providerMetadata } = await untilCut(model.doEmbed(asked), signal)
  if (embeddings.length !== asked.values.length) {
    throw new MandateError(
      'MODEL_FAILED',
      `${model.provider} gave ${embeddings.length} vectors for ${asked.values.length} texts.`,
      { info: { retriable: true } },
    )
  }
  const tokens = usage?.tokens
  return {
    embeddings: embeddings.map((vector) => [...vector]),
    usage:
      typeof tokens === 'number' && tokens >= 0
        ? { inputTokens: tokens }
        : { inputTokens: asked.values.reduce((sum, value) => sum + estimateTokens(value), 0), estimated: true },
    warnings: warnings.map(warningText),
    metadata: metadataOf({ providerMetadata }),
  }
}

function joinPieces(pieces: readonly Piece[], warnings: readonly string[]): EmbedReply {
  const metadata = pieces.findLast((piece) => piece.metadata !== undefined)?.metadata
  const isEstimated = pieces.some((piece) => piece.usage.estimated === true)
  return {
    embeddings: pieces.flatMap((piece) => piece.embeddings),
    usage: {
      inputTokens: pieces.reduce((sum, piece) => sum + piece.usage.inputTokens, 0),
      ...(isEstimated ? { estimated: true } : {}),
    },
    warnings: [...warnings, ...pieces.flatMap((piece) => piece.warnings)],
    ...(metadata === undefined ? {} : { providerMetadata: metadata }),
  }
}
