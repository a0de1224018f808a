import type { BudgetLimits } from '../../core/index.ts'
import type { Model, ModelCapabilities } from '../model.ts'
import { type PriceTable, dearest, priceFor, priceOf } from './prices.ts'

/** The output limit of an unknown model. */
const UNKNOWN_OUTPUT = 4096
/** The default maximum, because the output is reserved before the call. */
const OUTPUT_CAP = 16_384

type Named = Pick<Model, 'id' | 'capabilities'>

/** The capabilities of a model: its own, completed by those in the prices. */
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

/** The default output limit of a turn: as many tokens as the model can write, up to a cap. */
export function defaultOutputTokens(model: Named, prices: PriceTable): number {
  return Math.min(capabilitiesOf(model, prices).maxOutputTokens ?? UNKNOWN_OUTPUT, OUTPUT_CAP)
}

/** A shorter reply is of no use: whether this many tokens fit is decided by the gate. */
const REPLY_MIN = 64

/**
 * The same under the remainder of a budget: no call reserves more than a quarter of it, so that parallel and later calls have room, but room for a
 * short reply.
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
  return Math.max(share, Math.min(wanted, REPLY_MIN))
}
