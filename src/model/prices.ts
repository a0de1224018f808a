import { MandateError } from '../core/index.ts'
import type { TokenUsage } from './usage.ts'

/** US dollars per million tokens. */
export type Rates = {
  readonly inputPerMillion: number
  readonly outputPerMillion: number
  /** Input read from the provider's cache; the full rate when absent. */
  readonly cachedInputPerMillion?: number
  /** Input written to the provider's cache; the full rate when absent. */
  readonly cacheWritePerMillion?: number
}

export type Price = Rates & {
  /** Other rates for the whole call when its input is larger than this many tokens. */
  readonly above?: Rates & { readonly inputTokens: number }
  /** When this line was last checked, if not on the table's date. */
  readonly asOf?: string
}

/** Prices as data. Keys are model ids, `provider/modelId`; `*` stands for anything. An exact id wins, then the longest pattern. */
export type PriceTable = {
  readonly date: string
  readonly currency: 'USD'
  readonly models: { readonly [pattern: string]: Price }
}

/** Cache: a run looks up the same model's price several times a step. Tables are immutable. */
const lookedUp = new WeakMap<PriceTable['models'], Map<string, Price | undefined>>()

/** The price of a model, or `undefined`: an unknown price is never taken for zero. */
export function priceOf(table: PriceTable, modelId: string): Price | undefined {
  const known = lookedUp.get(table.models) ?? new Map<string, Price | undefined>()
  if (known.has(modelId)) return known.get(modelId)
  const price = lookUp(table, modelId)
  lookedUp.set(table.models, known.set(modelId, price))
  return price
}

function lookUp(table: PriceTable, modelId: string): Price | undefined {
  if (Object.hasOwn(table.models, modelId)) return table.models[modelId]
  let best: string | undefined
  for (const pattern of Object.keys(table.models)) {
    if (matches(pattern, modelId) && (best === undefined || pattern.length > best.length)) best = pattern
  }
  return best === undefined ? undefined : table.models[best]
}

/** What a call cost, in US dollars; `undefined` when the price is not known. */
export function costOf(usage: TokenUsage, price: Price | undefined): number | undefined {
  if (price === undefined) return undefined
  const rates = ratesFor(price, usage.inputTokens)
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens)
  const written = Math.min(usage.cacheWriteInputTokens ?? 0, usage.inputTokens - cached)
  const fresh = usage.inputTokens - cached - written
  return (
    (fresh * rates.inputPerMillion +
      cached * (rates.cachedInputPerMillion ?? rates.inputPerMillion) +
      written * (rates.cacheWritePerMillion ?? rates.inputPerMillion) +
      usage.outputTokens * rates.outputPerMillion) /
    1_000_000
  )
}

/** The most a call can use. */
export type WorstCase = {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  /** US dollars; absent when the price is not known. */
  readonly money?: number
}

/** What to reserve for a call before it is made: nothing cached, all output used, the dearest rate that could apply. */
export function worstCase(inputTokens: number, maxOutputTokens: number, price: Price | undefined): WorstCase {
  const tokens = { inputTokens, outputTokens: maxOutputTokens, totalTokens: inputTokens + maxOutputTokens }
  if (price === undefined) return tokens
  const rates = ratesFor(price, inputTokens)
  const dearest = Math.max(rates.inputPerMillion, rates.cacheWritePerMillion ?? 0)
  return { ...tokens, money: (inputTokens * dearest + maxOutputTokens * rates.outputPerMillion) / 1_000_000 }
}

/**
 * Lays own prices over a table; an own line beats a line of the same pattern.
 *
 * @example
 * ```ts
 * import { DEFAULT_PRICES, withPrices } from 'mandate/model'
 * const prices = withPrices(DEFAULT_PRICES, '2026-11-15', { 'ollama/*': { inputPerMillion: 0, outputPerMillion: 0 } })
 * ```
 */
export function withPrices(table: PriceTable, date: string, models: PriceTable['models']): PriceTable {
  for (const [pattern, price] of Object.entries(models)) {
    checkRates(pattern, price)
    if (price.above !== undefined) checkRates(`${pattern}.above`, price.above)
  }
  return { date, currency: 'USD', models: { ...table.models, ...models } }
}

function checkRates(pattern: string, rates: Rates): void {
  for (const field of [
    'inputPerMillion',
    'outputPerMillion',
    'cachedInputPerMillion',
    'cacheWritePerMillion',
  ] as const) {
    const value = rates[field]
    const isOptional = field.startsWith('cache') && value === undefined
    if (isOptional || (typeof value === 'number' && value >= 0 && Number.isFinite(value))) continue
    throw new MandateError(
      'CONFIG_INVALID',
      `The price of "${pattern}": \`${field}\` is ${String(value)}. Give US dollars per million tokens, from 0 up.`,
    )
  }
}

function ratesFor(price: Price, inputTokens: number): Rates {
  return price.above !== undefined && inputTokens > price.above.inputTokens ? price.above : price
}

function matches(pattern: string, id: string): boolean {
  const pieces = pattern.split('*')
  const head = pieces[0]!
  const tail = pieces.at(-1)!
  if (pieces.length === 1) return pattern === id
  if (!id.startsWith(head) || !id.endsWith(tail) || id.length < head.length + tail.length) return false
  let at = head.length
  for (const piece of pieces.slice(1, -1)) {
    const found = id.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= id.length - tail.length
}
