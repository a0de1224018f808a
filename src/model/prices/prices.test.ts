import { expect, test } from 'vitest'
import { DEFAULT_PRICES } from './default-prices.ts'
import { type PriceTable, costOf, priceOf, withPrices, worstCase } from './prices.ts'
import { tokenUsage } from '../usage.ts'

const table: PriceTable = {
  date: '2026-01-01',
  currency: 'USD',
  models: {
    'a/*': { inputPerMillion: 1, outputPerMillion: 2 },
    'a/big-*': { inputPerMillion: 10, outputPerMillion: 20, cachedInputPerMillion: 1, cacheWritePerMillion: 12.5 },
    'a/big-one': { inputPerMillion: 100, outputPerMillion: 200 },
    'a/*-tier*d': {
      inputPerMillion: 1,
      outputPerMillion: 1,
      above: { inputTokens: 1000, inputPerMillion: 5, outputPerMillion: 6 },
    },
  },
}

test('an exact id beats every pattern, and a longer pattern beats a shorter one', () => {
  expect(priceOf(table, 'a/big-one')?.inputPerMillion).toBe(100)
  expect(priceOf(table, 'a/big-two')?.inputPerMillion).toBe(10)
  expect(priceOf(table, 'a/small')?.inputPerMillion).toBe(1)
})

test('an unknown model has no price and no cost; it is never free', () => {
  expect(priceOf(table, 'b/small')).toBeUndefined()
  expect(priceOf(DEFAULT_PRICES, 'openai/gpt-5-pro')).toBeUndefined()
  expect(priceOf(table, 'constructor')).toBeUndefined()
  expect(costOf(tokenUsage(1, 1), undefined)).toBeUndefined()
  expect(worstCase(10, 20, undefined)).toEqual({ inputTokens: 10, outputTokens: 20, totalTokens: 30 })
})

test('cached and cache-writing tokens are charged at their own rates and never twice', () => {
  const usage = { ...tokenUsage(1_000_000, 500_000), cachedInputTokens: 400_000, cacheWriteInputTokens: 100_000 }
  expect(costOf(usage, priceOf(table, 'a/big-two'))).toBeCloseTo(0.5 * 10 + 0.4 * 1 + 0.1 * 12.5 + 0.5 * 20, 9)
  const impossible = { ...tokenUsage(10, 0), cachedInputTokens: 1_000_000 }
  expect(costOf(impossible, priceOf(table, 'a/big-two'))).toBeCloseTo(10 / 1_000_000, 12)
})

test('a call over the threshold is charged at the higher rates as a whole', () => {
  const price = priceOf(table, 'a/x-tiered')
  expect(costOf(tokenUsage(1000, 1000), price)).toBeCloseTo(2_000 / 1e6, 12)
  expect(costOf(tokenUsage(1001, 1000), price)).toBeCloseTo((1001 * 5 + 6000) / 1e6, 12)
})

test('the worst case of a call is never below what it then costs', () => {
  for (const id of Object.keys(DEFAULT_PRICES.models)) {
    const price = priceOf(DEFAULT_PRICES, id)
    for (const input of [1, 90_000, 300_000]) {
      const worst = worstCase(input, 4096, price).money!
      expect(worst).toBeGreaterThanOrEqual(costOf(tokenUsage(input, 4096), price)!)
      expect(worst).toBeGreaterThanOrEqual(costOf({ ...tokenUsage(input, 9), cacheWriteInputTokens: input }, price)!)
    }
  }
})

test('the default table is dated, knows scripted models as free, and a dated snapshot of a model has its price', () => {
  expect(DEFAULT_PRICES.date).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(costOf(tokenUsage(1000, 1000), priceOf(DEFAULT_PRICES, 'scripted/anything'))).toBe(0)
  expect(priceOf(DEFAULT_PRICES, 'anthropic/claude-sonnet-4-5-20250929')?.inputPerMillion).toBe(3)
})

test('own prices are laid over the table, and a price that is not a number from zero up is refused by name', () => {
  const own = withPrices(table, '2026-02-02', { 'a/small': { inputPerMillion: 7, outputPerMillion: 7 } })
  expect(priceOf(own, 'a/small')?.inputPerMillion).toBe(7)
  expect(priceOf(table, 'a/small')?.inputPerMillion).toBe(1)
  expect(own.date).toBe('2026-02-02')
  for (const bad of [Number.NaN, -1, Number.POSITIVE_INFINITY, undefined as unknown as number]) {
    expect(() => withPrices(table, 'd', { 'x/y': { inputPerMillion: bad, outputPerMillion: 1 } })).toThrow(
      /"x\/y".*inputPerMillion/,
    )
  }
})
