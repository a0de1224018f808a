import { expect, test } from 'vitest'
import { DEFAULT_PRICES } from './default-prices.ts'
import { readCatalogue } from './models-dev.ts'
import { pricesFrom } from './price-file.ts'
import { type Price, checkPrices, costOf, priceOf, worstCase } from './prices.ts'
import { tokenUsage } from '../usage.ts'

const long = { input: 4, output: 18, cache_read: 0.4 }
const entry = (cost: object, limit: object = { context: 1_000_000, output: 64_000 }): object => ({ cost, limit })

const catalogue = {
  acme: {
    id: 'acme',
    models: {
      plain: entry({ input: 1, output: 4, cache_read: 0.1, cache_write: 1.25, reasoning: 6, input_audio: 9 }),
      older: entry({ input: 2, output: 12, cache_read: 0.2, context_over_200k: long }),
      tiered: entry({
        input: 1,
        output: 2,
        tiers: [
          { input: 3, output: 6, tier: { type: 'context', size: 128_000 } },
          { input: 2, output: 4, tier: { type: 'context', size: 32_000 } },
        ],
        context_over_200k: long,
      }),
      nothing: entry({ input: 0, output: 0 }),
      'gift:free': entry({ input: 0, output: 0 }),
      unpriced: { limit: { context: 5 } },
      broken: entry({ input: -1, output: 'x' }),
      hourly: entry({ input: 1, output: 2, tiers: [{ input: 1, output: 2, tier: { type: 'time' } }] }),
      'a*': entry({ input: 1, output: 1 }),
    },
  },
  vercel: { id: 'vercel', models: { 'openai/gpt-5': entry({ input: 1.5, output: 11 }) } },
  lmstudio: { id: 'lmstudio', models: { 'qwen/any': entry({ input: 0, output: 0 }) } },
}

test('data in the shape of models.dev gives dated prices with cache, reasoning and tiers, and what a model can take in and write', () => {
  const table = pricesFrom(catalogue, { date: '2026-11-16' })
  expect(priceOf(table, 'acme/plain')).toEqual({
    inputPerMillion: 1,
    outputPerMillion: 4,
    cachedInputPerMillion: 0.1,
    cacheWritePerMillion: 1.25,
    reasoningPerMillion: 6,
    contextTokens: 1_000_000,
    maxOutputTokens: 64_000,
    asOf: '2026-11-16',
  } satisfies Price)
  expect(priceOf(table, 'gateway/openai/gpt-5')?.inputPerMillion).toBe(1.5)
  const usage = { ...tokenUsage(1_000_000, 1_000_000), reasoningTokens: 400_000 }
  expect(costOf({ ...usage, inputTokens: 0 }, priceOf(table, 'acme/plain'))).toBeCloseTo(0.6 * 4 + 0.4 * 6, 9)
  expect(worstCase(0, 1_000_000, priceOf(table, 'acme/plain')).money).toBe(6)
})

test('of several tiers the highest that is passed counts, however they are ordered, and the older way to write one is read', () => {
  const table = pricesFrom(catalogue, { date: '2026-11-16' })
  const rate = (id: string, input: number): number => costOf(tokenUsage(input, 0), priceOf(table, id))! / (input / 1e6)
  expect([32_000, 32_001, 128_000, 128_001, 900_000].map((input) => rate('acme/tiered', input))).toEqual([
    1, 2, 2, 3, 3,
  ])
  expect([200_000, 200_001].map((input) => rate('acme/older', input))).toEqual([2, 4])
})

test('a price that cannot be believed is left out and told with its reason, never guessed or taken for zero', () => {
  const { models, skipped } = readCatalogue(catalogue, '2026-11-16')
  expect(Object.fromEntries(skipped.map(({ id, why }) => [id, why]))).toEqual({
    'acme/nothing': 'its price is given as 0',
    'acme/unpriced': 'it has no price',
    'acme/broken': 'it has no price',
    'acme/hourly': 'its price has tiers that are not by size of input',
    'acme/a*': 'its id has a space, a star or a control character',
  })
  expect(models['acme/gift:free']).toMatchObject({ inputPerMillion: 0, outputPerMillion: 0 })
  expect(models['lmstudio/qwen/any']).toMatchObject({ inputPerMillion: 0 })
})

test('a table that was written is read again, over the built-in one or over another', () => {
  const models = { 'openai/gpt-5': { inputPerMillion: 7, outputPerMillion: 8 } }
  const table = pricesFrom({ date: '2026-12-01', currency: 'USD', models })
  expect(table.date).toBe('2026-12-01')
  expect(priceOf(table, 'openai/gpt-5')?.inputPerMillion).toBe(7)
  expect(priceOf(table, 'openai/gpt-4o')).toEqual(priceOf(DEFAULT_PRICES, 'openai/gpt-4o'))
  const bare = { date: '2026-01-01', currency: 'USD' as const, models: {} }
  expect(priceOf(pricesFrom({ ...bare, models }, { over: bare }), 'openai/gpt-4o')).toBeUndefined()
})

test.each<[string, unknown, object, RegExp]>([
  ['a text', 'x', {}, /no price data/],
  ['an empty object', {}, {}, /no price data/],
  ['a provider without models', { acme: { id: 'acme' } }, { date: '2026-11-16' }, /no price data/],
  ['a catalogue without a day', catalogue, {}, /none was given/],
  ['a day that is none', catalogue, { date: 'today' }, /"today" is not a date/],
  ['a misspelt option', catalogue, { dat: '2026-11-16' }, /Did you mean `date`/],
  ['a table with a rate that is none', tableWith({ inputPerMillion: Number.NaN }), {}, /"x\/y".*inputPerMillion/],
  ['a misspelt field', tableWith({ cachedInput: 1 }), {}, /cachedInput/],
  ['a context of nothing', tableWith({ contextTokens: 0 }), {}, /contextTokens/],
  ['a tier without a size', tableWith({ above: { inputPerMillion: 1, outputPerMillion: 1 } }), {}, /inputTokens/],
])('%s is refused', (_what, data, options, message) => {
  expect(() => pricesFrom(data, options)).toThrow(message)
})

function tableWith(price: object): object {
  return {
    date: '2026-11-16',
    currency: 'USD',
    models: { 'x/y': { inputPerMillion: 1, outputPerMillion: 1, ...price } },
  }
}

test('a host is given a whole table, or is told how to make one', () => {
  expect(checkPrices(DEFAULT_PRICES)).toBe(DEFAULT_PRICES)
  expect(() => checkPrices({ models: {} } as never)).toThrow(/withPrices/)
  expect(() => checkPrices({ ...DEFAULT_PRICES, models: { 'x/y': null } } as never)).toThrow(/"x\/y"/)
})

test('the default table cannot be changed: budgets of the whole process are counted by it', () => {
  const line = DEFAULT_PRICES.models['openai/gpt-5']
  expect(line).toBeDefined()
  for (const part of [DEFAULT_PRICES, DEFAULT_PRICES.models, line]) expect(Object.isFrozen(part)).toBe(true)
})
