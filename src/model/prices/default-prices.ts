import { freezeDeep } from '../../core/index.ts'
import { OWN_DATE, OWN_PRICES } from './own-prices.ts'
import type { Price, PriceTable } from './prices.ts'
import { SNAPSHOT, SNAPSHOT_DATE } from './snapshot.ts'

let models: PriceTable['models'] | undefined

/**
 * List prices of the models of about fifty providers: a hand-maintained table over a snapshot of the models.dev catalogue. Every line has a date, its
 * own (`asOf`) or the table's. Prices change: check them before you rely on the sums, refresh them with `mandate prices refresh`, and override them
 * with `withPrices`. A model that is not in the table has no known price, and a run with a money limit refuses it.
 */
export const DEFAULT_PRICES: PriceTable = Object.freeze({
  date: OWN_DATE,
  currency: 'USD',
  // Parsed with the first lookup: most programs that import this never need a price.
  get models() {
    return (models ??= freezeDeep({ ...readSnapshot(), ...OWN_PRICES }))
  },
})

function readSnapshot(): Record<string, Price> {
  const lines: Record<string, Price> = {}
  for (const [provider, text] of Object.entries(SNAPSHOT)) {
    for (const line of text.split(' ')) {
      const [id, ...fields] = line.split(',')
      lines[`${provider}/${id}`] = priceIn(fields.map((field) => (field === '' ? undefined : Number(field))))
    }
  }
  return lines
}

function priceIn([input, output, cached, written, reasoning, context, most]: readonly (number | undefined)[]): Price {
  return {
    inputPerMillion: input!,
    outputPerMillion: output!,
    ...(cached === undefined ? {} : { cachedInputPerMillion: cached }),
    ...(written === undefined ? {} : { cacheWritePerMillion: written }),
    ...(reasoning === undefined ? {} : { reasoningPerMillion: reasoning }),
    ...(context === undefined ? {} : { contextTokens: context }),
    ...(most === undefined ? {} : { maxOutputTokens: most }),
    asOf: SNAPSHOT_DATE,
  }
}
