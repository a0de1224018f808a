import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Spend } from '../../journal/index.ts'
import { vectorText } from '../../memory/index.ts'
import { costOf, estimateTokens, priceFor, reportedUsage, tokenUsage, wasNotAsked } from '../../model/index.ts'
import type { EmbedRequest, EmbeddingModel, Price } from '../../model/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { standInsOf } from './stand-ins.ts'
import type { KernelCall, Performed, KernelPerformer } from './performer.ts'

/** The value of an `embed` effect: one vector per text, encoded as `vectorFrom` reads them. */
export type Embedded = { readonly vectors: readonly string[] }

/** Embeds texts. The vectors are recorded, so that a vector search is replayed without calling the model again. */
export const embedPerformer: KernelPerformer = embedPerformerFor(({ resources, host }) => {
  return resources.embedding ?? host.registry.embedding
})

type ModelOf = (run: ActiveRun) => EmbeddingModel | undefined

/** The same for a model from another place. */
export function embedPerformerFor(modelOf: ModelOf): KernelPerformer {
  return {
    kind: 'embed',
    facts(effect, run) {
      const model = modelOf(run)
      if (model === undefined) return { known: false, alternatives: [], worst: {} }
      const price = ownPrice(run, model)
      return {
        known: true,
        risk: 'read',
        worst: spendOf(tokensOf(effect.input), run, model),
        ...(price === undefined ? { unpriced: model.id } : {}),
      }
    },
    repeatable: () => true,
    timeoutMs: (_effect, run) => run.limits.modelTimeoutMs,
    perform(call) {
      const model = modelOf(call.run)!
      return performEmbed(call, standInsOf(call.run)?.embedding(model) ?? model)
    },
    unfinished(effect, run, cut) {
      const model = modelOf(run)
      if (model === undefined) return { modelCalls: 1 }
      if (cut !== undefined && wasNotAsked(cut.error)) return spendOf(0, run, model)
      return spendOf(tokensOf(effect.input), run, model, true)
    },
  }
}

function spendOf(tokens: number, run: ActiveRun, model: EmbeddingModel, isEstimated = false): Spend {
  const money = costOf(tokenUsage(tokens, 0), ownPrice(run, model))
  const spent = { modelCalls: 1, inputTokens: tokens, totalTokens: tokens, ...(money === undefined ? {} : { money }) }
  return isEstimated ? { ...spent, estimated: true } : spent
}

function ownPrice(run: ActiveRun, { id, local = false }: EmbeddingModel): Price | undefined {
  return priceFor(run.host.prices, { id, capabilities: { local } })
}

function requestOf(input: Json): EmbedRequest {
  const { values } = (input ?? {}) as { readonly values?: Json }
  if (Array.isArray(values) && values.every((value) => typeof value === 'string')) return input as EmbedRequest
  throw new MandateError('INPUT_INVALID', '`values` must be a list of texts.')
}

/** A malformed request costs nothing: it is refused when it is performed. */
function tokensOf(input: Json): number {
  const { values } = (input ?? {}) as { readonly values?: Json }
  return Array.isArray(values) ? estimateTokens(values.join(' ')) + values.length : 0
}

async function performEmbed(call: KernelCall, model: EmbeddingModel): Promise<Performed> {
  const { attempt, idempotencyKey } = call
  const reply = await model.embed(requestOf(call.input), { signal: call.signal, attempt, idempotencyKey })
  const told = reportedUsage(reply.usage)
  const estimate = tokensOf(call.input)
  const inputTokens = told.inputTokens === 0 && estimate > 0 ? undefined : told.inputTokens
  const wrong = told.inputTokens === 0 ? ['inputTokens: 0'] : told.wrong
  const warnings =
    inputTokens === undefined
      ? [`The model reported no token usage that can be (${wrong.join(', ') || 'none'}); it was estimated.`]
      : []
  return {
    value: { vectors: reply.embeddings.map(vectorText) } satisfies Embedded,
    spent: spendOf(inputTokens ?? estimate, call.run, model, inputTokens === undefined || told.isEstimated),
    meta: { model: model.id, provider: model.provider, attempt, ...(warnings.length === 0 ? {} : { warnings }) },
  }
}
