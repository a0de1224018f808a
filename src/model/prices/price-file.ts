import { MandateError, checkFields, isRecord } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { DEFAULT_PRICES } from './default-prices.ts'
import { isCatalogue, readCatalogue } from './models-dev.ts'
import { type PriceTable, withPrices } from './prices.ts'

interface PricesFromOptions {
  /** The date on which the data was read, such as "2026-11-16"; a table with a date of its own keeps it. */
  readonly date?: string | undefined
  /** The table to which the prices are added; the built-in one by default. */
  readonly over?: PriceTable | undefined
}

const PRICES_FROM_OPTIONS: FieldNames<PricesFromOptions> = { date: 'text', over: 'object' }

const DAY = /^\d{4}-\d\d(?:-\d\d)?$/

/**
 * Creates a price table from data: the file that `mandate prices refresh` writes, a table of your own, or data in the shape of models.dev. Models that
 * are not in the data keep their price from the built-in table, or from the one in `over`.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { AgentService } from 'mandate'
 * import { pricesFrom } from 'mandate/model'
 * const prices = pricesFrom(JSON.parse(readFileSync('.mandate/prices.json', 'utf8')))
 * const service = new AgentService({ prices })
 * ```
 */
export function pricesFrom(data: unknown, options: PricesFromOptions = {}): PriceTable {
  checkFields(options, 'an option of `pricesFrom`', PRICES_FROM_OPTIONS)
  const { date, over = DEFAULT_PRICES } = options
  if (isTable(data)) return withPrices(over, checkDay(data.date), data.models)
  if (isCatalogue(data)) {
    const day = checkDay(date)
    return withPrices(over, day, readCatalogue(data, day).models)
  }
  throw new MandateError(
    'CONFIG_INVALID',
    'This is no price data. Give a table { date, currency: "USD", models }, or data in the shape of https://models.dev/api.json.',
  )
}

function isTable(data: unknown): data is PriceTable {
  return isRecord(data) && typeof data['date'] === 'string' && data['currency'] === 'USD' && isRecord(data['models'])
}

function checkDay(date: string | undefined): string {
  if (date !== undefined && DAY.test(date)) return date
  throw new MandateError(
    'CONFIG_INVALID',
    `Prices need their date, and ${date === undefined ? 'none was given' : `"${date}" is not a date`}. Give \`date\` like "2026-11-16".`,
  )
}
