import { MandateError, checkFields } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { Model } from '../model.ts'
import type { TokenUsage } from '../usage.ts'

/** US dollars per million tokens. */
export type Rates = {
  readonly inputPerMillion: number
  readonly outputPerMillion: number
  /** Input read from the provider's cache; the rate of input by default. */
  readonly cachedInputPerMillion?: number
  /** Input written to the provider's cache; the rate of input by default. */
  readonly cacheWritePerMillion?: number
  /** Output that is reasoning; the rate of output by default. */
  readonly reasoningPerMillion?: number
}

/** Other rates for the whole call when its input is larger than this many tokens. */
export type PriceTier = Rates & { readonly inputTokens: number }

export type Price = Rates & {
  /** Rates for long inputs: the tier with the highest exceeded threshold applies. */
  readonly above?: PriceTier | readonly PriceTier[]
  /** The date on which this line was last checked; the table's date by default. */
  readonly asOf?: string
  /** The context and output limits of the model, if the source of the price has them. */
  readonly contextTokens?: number
  readonly maxOutputTokens?: number
}

/** Prices as data. Keys are model ids, `provider/modelId`; `*` matches any text. An exact id takes precedence, then the longest pattern. */
export type PriceTable = {
  /** The date of the prices, such as `2026-01-31`. */
  readonly date: string
  /** The currency of the prices. */
  readonly currency: 'USD'
  /** Prices by model id; `*` matches any text. */
  readonly models: { readonly [pattern: string]: Price }
}

/** Caches lookups, because a run needs the price of the same model several times per step. Tables are immutable. */
const lookedUp = new WeakMap<PriceTable['models'], Map<string, Price | undefined>>()

/** The price of a model; `undefined` if it is unknown, which is never treated as zero. */
export function priceOf(table: PriceTable, modelId: string): Price | undefined {
  const known = lookedUp.get(table.models) ?? new Map<string, Price | undefined>()
  if (known.has(modelId)) return known.get(modelId)
  const price = lookUp(table, modelId)
  lookedUp.set(table.models, known.set(modelId, price))
  return price
}

/** The price of models without charges, such as self-hosted ones. */
export const FREE: Price = Object.freeze({ inputPerMillion: 0, outputPerMillion: 0 })

/** The price of a configured model: zero if it runs on this machine and is not in the table. */
export function priceFor(
  table: PriceTable,
  { id, capabilities }: Pick<Model, 'id' | 'capabilities'>,
): Price | undefined {
  return priceOf(table, id) ?? (capabilities?.local === true ? FREE : undefined)
}

function lookUp(table: PriceTable, modelId: string): Price | undefined {
  for (const id of [modelId, ...namesOnBedrock(modelId)]) {
    const price = lineFor(table, id)
    if (price !== undefined) return price
  }
  return undefined
}

/** The prefixes of ids of inference profiles: regions and partitions. */
const REGION = /^(?:af|apac|au|ca|eu|global|il|jp|me|mx|sa|us|us-gov)\./

/** Vendors whose models have the same price on Amazon Bedrock as from the vendor. */
const VENDOR = /^(anthropic|cohere)\.(.+?)(?:-v\d+(?::\d+)?)?$/

/** Other ids for the price of a model on Amazon Bedrock, most specific first: with and without its region, and the vendor's own id. */
function namesOnBedrock(modelId: string): readonly string[] {
  const [, name] = /^(?:amazon-)?bedrock\/(.+)$/.exec(modelId) ?? []
  if (name === undefined) return []
  const bare = name.replace(REGION, '')
  const [, vendor, model] = VENDOR.exec(bare) ?? []
  const own = vendor === undefined ? [] : [`${vendor}/${model}`]
  return [`amazon-bedrock/${name}`, `amazon-bedrock/${bare}`, ...own]
}

function lineFor(table: PriceTable, modelId: string): Price | undefined {
  if (Object.hasOwn(table.models, modelId)) return table.models[modelId]
  let best: string | undefined
  for (const pattern of Object.keys(table.models)) {
    if (!pattern.includes('*') || !matches(pattern, modelId)) continue
    if (best === undefined || pattern.length > best.length) best = pattern
  }
  return best === undefined ? undefined : table.models[best]
}

/** The cost of a call in US dollars; `undefined` if the price is unknown. */
export function costOf(usage: TokenUsage, price: Price | undefined): number | undefined {
  if (price === undefined) return undefined
  const rates = ratesFor(price, usage.inputTokens)
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens)
  const written = Math.min(usage.cacheWriteInputTokens ?? 0, usage.inputTokens - cached)
  const fresh = usage.inputTokens - cached - written
  const reasoning = Math.min(usage.reasoningTokens ?? 0, usage.outputTokens)
  return (
    (fresh * rates.inputPerMillion +
      cached * (rates.cachedInputPerMillion ?? rates.inputPerMillion) +
      written * (rates.cacheWritePerMillion ?? rates.inputPerMillion) +
      (usage.outputTokens - reasoning) * rates.outputPerMillion +
      reasoning * (rates.reasoningPerMillion ?? rates.outputPerMillion)) /
    1_000_000
  )
}

/** The maximum that a call can use. */
type WorstCase = {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  /** US dollars; absent if the price is unknown. */
  readonly money?: number
}

/** The amounts to reserve for a call: nothing cached, all output used, the highest rates that can apply. */
export function worstCase(inputTokens: number, maxOutputTokens: number, price: Price | undefined): WorstCase {
  const tokens = { inputTokens, outputTokens: maxOutputTokens, totalTokens: inputTokens + maxOutputTokens }
  if (price === undefined) return tokens
  const { input, output } = dearest(price, inputTokens)
  return { ...tokens, money: (inputTokens * input + maxOutputTokens * output) / 1_000_000 }
}

/** The highest rates that can apply to a call with this number of input tokens, in US dollars per million tokens. */
export function dearest(price: Price, inputTokens: number): { readonly input: number; readonly output: number } {
  const rates = ratesFor(price, inputTokens)
  return {
    input: Math.max(rates.inputPerMillion, rates.cacheWritePerMillion ?? 0),
    output: Math.max(rates.outputPerMillion, rates.reasoningPerMillion ?? 0),
  }
}

/**
 * Adds prices to a table. An added line replaces one with the same pattern.
 *
 * @example
 * ```ts
 * import { DEFAULT_PRICES, withPrices } from 'mandate/model'
 * const prices = withPrices(DEFAULT_PRICES, '2026-11-15', { 'mine/*': { inputPerMillion: 0.2, outputPerMillion: 0.8 } })
 * ```
 */
export function withPrices(table: PriceTable, date: string, models: PriceTable['models']): PriceTable {
  checkPrices({ date, currency: 'USD', models })
  return { date, currency: 'USD', models: { ...checkPrices(table).models, ...models } }
}

const RATES: FieldNames<Rates> = {
  inputPerMillion: 'number',
  outputPerMillion: 'number',
  cachedInputPerMillion: 'number',
  cacheWritePerMillion: 'number',
  reasoningPerMillion: 'number',
}

const PRICE: FieldNames<Price> = {
  ...RATES,
  above: 'list|object',
  asOf: 'text',
  contextTokens: 'number',
  maxOutputTokens: 'number',
}

/** Tables that were validated already: they are immutable, and shared by many kernels. */
const checked = new WeakSet<object>()

/** Validates a price table; throws if it is invalid. */
export function checkPrices(table: PriceTable): PriceTable {
  checkFields(table, 'a field of a price table', { date: true, currency: true, models: true })
  const { date, currency, models } = table
  if (typeof date !== 'string' || currency !== 'USD' || typeof models !== 'object' || models === null)
    throw new MandateError(
      'CONFIG_INVALID',
      '`prices` is no price table. Give { date, currency: "USD", models }, or make one with `withPrices` or `pricesFrom`.',
    )
  if (!checked.has(models)) for (const [pattern, price] of Object.entries(models)) checkPrice(pattern, price)
  checked.add(models)
  return table
}

/** Validates one line of a price table. */
function checkPrice(pattern: string, price: Price): void {
  checkFields(price, `a field of the price of "${pattern}"`, PRICE)
  checkRates(pattern, price)
  for (const field of ['contextTokens', 'maxOutputTokens'] as const) {
    const value = price[field]
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw invalid(pattern, field, value, 'Give a whole number of tokens from 1 up')
  }
  for (const tier of tiersOf(price)) {
    checkFields(tier, `a field of \`above\` in the price of "${pattern}"`, { ...RATES, inputTokens: true })
    checkRates(`${pattern}.above`, tier)
    if (!(Number.isSafeInteger(tier.inputTokens) && tier.inputTokens >= 0))
      throw invalid(`${pattern}.above`, 'inputTokens', tier.inputTokens, 'Give a whole number of tokens')
  }
}

function checkRates(pattern: string, rates: Rates): void {
  for (const field of Object.keys(RATES) as (keyof Rates)[]) {
    const value = rates[field]
    const isOptional = field !== 'inputPerMillion' && field !== 'outputPerMillion' && value === undefined
    if (isOptional || (typeof value === 'number' && value >= 0 && Number.isFinite(value))) continue
    throw invalid(pattern, field, value, 'Give US dollars per million tokens, from 0 up')
  }
}

function invalid(pattern: string, field: string, value: unknown, fix: string): MandateError {
  return new MandateError('CONFIG_INVALID', `The price of "${pattern}": \`${field}\` is ${String(value)}. ${fix}.`)
}

function tiersOf({ above }: Price): readonly PriceTier[] {
  if (above === undefined) return []
  return Array.isArray(above) ? (above as readonly PriceTier[]) : [above as PriceTier]
}

function ratesFor(price: Price, inputTokens: number): Rates {
  let rates: Rates = price
  let passed = -1
  for (const tier of tiersOf(price)) {
    if (inputTokens <= tier.inputTokens || tier.inputTokens <= passed) continue
    rates = tier
    passed = tier.inputTokens
  }
  return rates
}

/** Whether a pattern with `*` matches an id. */
export function matches(pattern: string, id: string): boolean {
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
