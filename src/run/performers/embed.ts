import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { vectorText } from '../../memory/index.ts'
import { costOf, estimateTokens, priceOf, tokenUsage } from '../../model/index.ts'
import type { EmbedRequest, EmbeddingModel } from '../../model/index.ts'
import type { ActiveRun } from '../active-run.ts'
import type { PerformCall, Performed, Performer } from '../performer.ts'

/** What an effect of kind `embed` gives: one vector per text, as `vectorFrom` reads them. */
export type Embedded = { readonly vectors: readonly string[] }

/** Turns texts into vectors. They are recorded, so that a search by likeness is replayed without asking the model again. */
export const embedPerformer: Performer = {
  kind: 'embed',
  facts(effect, run) {
    const model = modelOf(run)
    if (model === undefined) return { known: false, alternatives: [], worst: {} }
    const tokens = tokensOf(effect.input)
    const price = priceOf(run.host.prices, model.id)
    const money = costOf(tokenUsage(tokens, 0), price)
    return {
      known: true,
      risk: 'read',
      worst: { modelCalls: 1, inputTokens: tokens, totalTokens: tokens, ...(money === undefined ? {} : { money }) },
      ...(price === undefined ? { unpriced: model.id } : {}),
    }
  },
  repeatable: () => true,
  timeoutMs: (_effect, run) => run.limits.modelTimeoutMs,
  perform: performEmbed,
}

function modelOf({ resources, host }: ActiveRun): EmbeddingModel | undefined {
  return resources.embedding ?? host.registry.embedding
}

function requestOf(input: Json): EmbedRequest {
  const { values } = (input ?? {}) as { readonly values?: Json }
  if (Array.isArray(values) && values.every((value) => typeof value === 'string')) return input as EmbedRequest
  throw new MandateError('INPUT_INVALID', '`values` must be a list of texts.')
}

/** What is no request costs nothing: it is refused when it comes to be carried out. */
function tokensOf(input: Json): number {
  const { values } = (input ?? {}) as { readonly values?: Json }
  return Array.isArray(values) ? estimateTokens(values.join(' ')) + values.length : 0
}

async function performEmbed(call: PerformCall): Promise<Performed> {
  const model = modelOf(call.run)!
  const { attempt, idempotencyKey } = call
  const reply = await model.embed(requestOf(call.input), { signal: call.signal, attempt, idempotencyKey })
  const usage = tokenUsage(reply.usage.inputTokens, 0)
  const money = costOf(usage, priceOf(call.run.host.prices, model.id))
  const { inputTokens, totalTokens } = usage
  return {
    value: { vectors: reply.embeddings.map(vectorText) } satisfies Embedded,
    spent: { modelCalls: 1, inputTokens, totalTokens, ...(money === undefined ? {} : { money }) },
    meta: { model: model.id, provider: model.provider, attempt },
  }
}
