import { MandateError, nearest } from '../../core/index.ts'
import { priceOf } from '../../model/index.ts'
import type { Price, PriceTable, Rates } from '../../model/index.ts'
import { EXIT } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { figureTable } from '../terminal/layout.ts'
import { count, note, print, table } from '../output.ts'
import { pricesHere, refreshPrices } from '../price-file.ts'
import { chooseAction, need } from './command.ts'
import { usageOf } from '../help/commands.ts'
import type { Command } from './command.ts'

const USAGE = usageOf('prices')

export const pricesCommand: Command = {
  async run(flags, [verb = 'list', ...words]) {
    return chooseAction(ACTIONS, { command: 'prices', usage: USAGE }, [verb])(flags, words)
  },
}

type Action = (flags: Flags, words: readonly string[]) => number | Promise<number>

const ACTIONS: Readonly<Record<string, Action>> = { list, show, refresh }

interface Line extends Price {
  readonly model: string
  readonly asOf: string
}

function linesOf({ date, models }: PriceTable): Line[] {
  return Object.entries(models).map(([model, price]) => ({ ...price, model, asOf: price.asOf ?? date }))
}

function list(flags: Flags, [text = '']: readonly string[]): number {
  const lines = linesOf(pricesHere(flags)).filter(({ model }) => model.includes(text))
  const sorted = lines.toSorted((a, b) => (a.model < b.model ? -1 : 1))
  const heads = ['model', 'input', 'output', 'read', 'write', 'as of']
  print(flags, sorted, () =>
    figureTable(
      heads,
      sorted.map((line) => [line.model, ...ratesOf(line), line.asOf]),
    ),
  )
  note(`${count(sorted.length, 'price')}, in US dollars per million tokens; read and write are cache reads and writes`)
  return EXIT.ok
}

function ratesOf(rates: Rates): string[] {
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion, cacheWritePerMillion } = rates
  return [inputPerMillion, outputPerMillion, cachedInputPerMillion, cacheWritePerMillion].map((rate) =>
    rate === undefined ? '-' : String(rate),
  )
}

function show(flags: Flags, words: readonly string[]): number {
  const model = need(words, 0, USAGE)
  const prices = pricesHere(flags)
  const price = priceOf(prices, model)
  if (price === undefined) {
    const meant = nearestModel(model, prices)
    throw new MandateError(
      'PRICE_UNKNOWN',
      `The price of ${model} is not known.${meant === undefined ? '' : ` Did you mean ${meant}?`} Newer prices: mandate prices refresh --from https://models.dev/api.json`,
    )
  }
  const line: Line = { ...price, model, asOf: price.asOf ?? prices.date }
  print(flags, line, () => table(rowsOf(line)))
  return EXIT.ok
}

/** Returns the model id nearest to the typed one, compared by its full id or by its name without the provider. */
function nearestModel(model: string, { models }: PriceTable): string | undefined {
  const ids = Object.keys(models)
  const nameOf = (id: string): string => id.slice(id.lastIndexOf('/') + 1)
  const whole = nearest(model, ids)
  if (whole !== undefined) return whole
  const name = nearest(model, ids.map(nameOf))
  const dateOf = (id: string): string => models[id]?.asOf ?? ''
  // Many providers resell a model. The most recently updated price is that of its original provider.
  return ids.filter((id) => nameOf(id) === name).toSorted((a, b) => dateOf(b).localeCompare(dateOf(a)))[0]
}

function rowsOf({ above, ...line }: Line): string[][] {
  const tiers = above === undefined ? [] : [above].flat()
  return [
    ...Object.entries(line).map(([name, value]) => [name, String(value)]),
    ...tiers.map(({ inputTokens, ...rates }) => [`above ${inputTokens} input tokens`, ratesOf(rates).join(' ')]),
  ]
}

async function refresh(flags: Flags): Promise<number> {
  if (flags.from === undefined)
    throw new MandateError(
      'INPUT_INVALID',
      'Give the source: mandate prices refresh --from https://models.dev/api.json',
    )
  const report = await refreshPrices(flags, flags.from)
  print(flags, report, () => `${report.file}: ${count(report.models, 'price')} as of ${report.date}`)
  for (const [why, number] of Object.entries(report.skipped)) note(`left out ${count(number, 'model')}: ${why}`)
  return EXIT.ok
}
