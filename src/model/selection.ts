import { checkNumbers, MandateError, checkFields, isRecord, systemClock, within } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import type { Model, ModelCapabilities, ModelInfo } from './model.ts'
import { capabilitiesOf } from './prices/output-tokens.ts'
import { type PriceTable, priceFor, worstCase } from './prices/prices.ts'

/** The time that a provider has to say what a model can do. */
const INFO_MS = 5_000

/** The requirements of a call. */
export interface ModelNeed {
  /** A model id (`provider/modelId`) or just its model part. */
  readonly model?: string | undefined
  readonly tools?: boolean | undefined
  readonly streaming?: boolean | undefined
  /** Input modalities besides text. */
  readonly modalities?: readonly string[] | undefined
  readonly inputTokens?: number | undefined
  readonly maxOutputTokens?: number | undefined
  /** The maximum cost of the call in US dollars; needs `prices`. */
  readonly costCeiling?: number | undefined
  /** The prices of models, and their limits if they do not declare them. */
  readonly prices?: PriceTable | undefined
}

const MODEL_NEED: FieldNames<ModelNeed> = {
  model: 'text',
  tools: 'flag',
  streaming: 'flag',
  modalities: 'texts',
  inputTokens: 'number',
  maxOutputTokens: 'number',
  costCeiling: true,
  prices: 'object',
}

interface Rejection {
  readonly id: string
  readonly reasons: readonly string[]
}

interface Selection {
  readonly model: Model | undefined
  readonly rejected: readonly Rejection[]
}

/** Chooses among the models that meet the need, in priority order: returns one of them, or its id. `undefined` means that none is acceptable. */
export type SelectionStrategy = (
  candidates: readonly Model[],
  need: ModelNeed,
) => Model | string | undefined | Promise<Model | string | undefined>

/**
 * Goes through the models in priority order and returns the first that meets the need, or the choice of `strategy` among all that do. What a model does not declare is taken from its
 * `info()`, then from the prices. Capabilities that are known nowhere are assumed, except modalities and price, which must be known.
 *
 * @example
 * ```ts
 * import { scripted, selectModel } from 'mandate/model'
 * const { model } = await selectModel([scripted(['Hi.'])], { tools: true, maxOutputTokens: 4096 })
 * ```
 */
export async function selectModel(
  models: readonly Model[],
  need: ModelNeed,
  strategy?: SelectionStrategy,
): Promise<Selection> {
  checkFields(need, 'a field of what a model is needed for', MODEL_NEED)
  checkNumbers(need, 'a field of what a model is needed for', {
    ...{ inputTokens: 'count', maxOutputTokens: 'count', costCeiling: 'amount' },
  })
  const rejected: Rejection[] = []
  const candidates: Model[] = []
  const told = await Promise.all(models.map(informed))
  for (const [index, model] of models.entries()) {
    const reasons = reasonsAgainst(model, { ...need, can: capabilitiesOf(told[index]!, need.prices) })
    if (reasons.length > 0) rejected.push({ id: model.id, reasons })
    else candidates.push(model)
  }
  if (strategy === undefined || candidates.length === 0) return { model: candidates[0], rejected }
  const chosen = await strategy([...candidates], need)
  const model = candidates.find((one) => one === chosen || one.id === chosen)
  if (model === undefined && chosen !== undefined) {
    const name = typeof chosen === 'string' ? chosen : String((chosen as Partial<Model> | null)?.id)
    throw new MandateError(
      'CONFIG_INVALID',
      `The selection strategy chose "${name}", which was not offered. Return one of: ${candidates.map((one) => one.id).join(', ')}.`,
    )
  }
  const passedOver = candidates
    .filter((one) => one !== model)
    .map((one) => ({ id: one.id, reasons: ['the strategy passed it over'] }))
  return { model, rejected: [...rejected, ...passedOver] }
}

/** The error of a selection without a result, with the reason for each model. */
export function selectionError(selection: Selection): MandateError {
  const list = selection.rejected.map((one) => `${one.id}: ${one.reasons.join(', ')}`)
  const why =
    list.length === 0
      ? 'No model was given. Add one to `models`.'
      : `No model can do what is needed. ${list.join('; ')}.`
  return new MandateError('NOT_FOUND', why, { info: { rejected: selection.rejected } })
}

/** A model with what its provider says about it. A provider that fails, or does not answer soon, has said nothing. */
async function informed(model: Model): Promise<Pick<Model, 'id' | 'capabilities'>> {
  const { id, capabilities } = model
  if (model.info === undefined) return model
  const asked = (async () => model.info!())().catch(() => undefined)
  const info = await within<ModelInfo | undefined>(systemClock, INFO_MS, asked, () => undefined)
  if (!isRecord(info)) return model
  const { name: _name, ...said } = info
  return { id, capabilities: { ...said, ...capabilities } }
}

function reasonsAgainst(model: Model, need: ModelNeed & { readonly can: ModelCapabilities }): string[] {
  const { can } = need
  const reasons: string[] = []
  if (need.model !== undefined && need.model !== model.id && need.model !== model.modelId)
    reasons.push(`it is not "${need.model}"`)
  if (need.tools === true && can.tools === false) reasons.push('it has no tools')
  if (need.streaming === true && can.streaming === false) reasons.push('it does not stream')
  for (const modality of need.modalities ?? []) {
    if (modality !== 'text' && can.modalities?.includes(modality) !== true) reasons.push(`it does not take ${modality}`)
  }
  const output = need.maxOutputTokens ?? 0
  if (can.maxOutputTokens !== undefined && output > can.maxOutputTokens) {
    reasons.push(`it gives at most ${can.maxOutputTokens} output tokens and ${output} are needed`)
  }
  const all = output + (need.inputTokens ?? 0)
  if (can.contextTokens !== undefined && all > can.contextTokens) {
    reasons.push(`its context holds ${can.contextTokens} tokens and ${all} are needed`)
  }
  if (need.costCeiling !== undefined) reasons.push(...costReasons(model, need, need.costCeiling))
  return reasons
}

function costReasons(model: Model, need: ModelNeed, ceiling: number): string[] {
  const price = need.prices === undefined ? undefined : priceFor(need.prices, model)
  const { money } = worstCase(need.inputTokens ?? 0, need.maxOutputTokens ?? 0, price)
  if (money === undefined) return ['its price is not known']
  return money > ceiling ? [`it could cost $${money.toFixed(4)} and the ceiling is $${ceiling}`] : []
}
