import type { BudgetLimits } from '../../core/index.ts'
import type { Model, ModelCapabilities } from '../model.ts'
import { type PriceTable, dearest, priceFor, priceOf } from './prices.ts'

/** What a model is taken to write at most, where nothing says more. */
const UNKNOWN_OUTPUT = 4096
/** More is not asked for unless someone says so: what may be written is reserved before the call. */
const OUTPUT_CAP = 16_384

type Named = Pick<Model, 'id' | 'capabilities'>

/** What is known of a model: what it says of itself, then what the prices say. */
export function capabilitiesOf({ id, capabilities }: Named, prices: PriceTable | undefined): ModelCapabilities {
  const price = prices === undefined ? undefined : priceOf(prices, id)
  if (price?.contextTokens === undefined && price?.maxOutputTokens === undefined) return capabilities ?? {}
  const { contextTokens, maxOutputTokens } = price
  return {
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...capabilities,
  }
}

/** How many output tokens a turn asks a model for when nobody says: as many as it can write, up to a cap. */
export function defaultOutputTokens(model: Named, prices: PriceTable): number {
  return Math.min(capabilitiesOf(model, prices).maxOutputTokens ?? UNKNOWN_OUTPUT, OUTPUT_CAP)
}

/**
 * The same under what is left of a budget: no call reserves more than a quarter of it, so that others beside it and after it have room. It does not go
 * below what an unknown model is asked for: whether that fits is for the gate to say.
 */
export function outputTokensWithin(
  wanted: number,
  left: BudgetLimits,
  { model, prices, inputTokens }: { readonly model: Named; readonly prices: PriceTable; readonly inputTokens: number },
): number {
  const shares = [left.outputTokens, left.totalTokens].flatMap((limit) => (limit === undefined ? [] : [limit / 4]))
  const price = left.money === undefined ? undefined : priceFor(prices, model)
  if (price !== undefined) {
    const rate = dearest(price, inputTokens).output
    if (rate > 0) shares.push(((left.money! / 4) * 1_000_000) / rate)
  }
  const share = Math.floor(Math.min(wanted, ...shares))
  return Math.max(share, Math.min(wanted, UNKNOWN_OUTPUT))
}
