import { describe, expect, test } from 'vitest'
import { capabilitiesOf, defaultOutputTokens, outputTokensWithin } from './output-tokens.ts'
import { DEFAULT_PRICES } from './default-prices.ts'
import type { PriceTable } from './prices.ts'

const prices: PriceTable = {
  date: '2026-11-16',
  currency: 'USD',
  models: {
    'a/large': { inputPerMillion: 1, outputPerMillion: 10, contextTokens: 400_000, maxOutputTokens: 128_000 },
    'a/small': { inputPerMillion: 1, outputPerMillion: 10, contextTokens: 8_000, maxOutputTokens: 2_048 },
  },
}

describe('the output tokens of a turn that nobody set', () => {
  test('follow what the model can write, up to a cap, and are 4096 for a model of which nothing is known', () => {
    expect(defaultOutputTokens({ id: 'a/large' }, prices)).toBe(16_384)
    expect(defaultOutputTokens({ id: 'a/small' }, prices)).toBe(2_048)
    expect(defaultOutputTokens({ id: 'a/unknown' }, prices)).toBe(4_096)
    expect(defaultOutputTokens({ id: 'a/large', capabilities: { maxOutputTokens: 500 } }, prices)).toBe(500)
    expect(defaultOutputTokens({ id: 'openai/gpt-5' }, DEFAULT_PRICES)).toBe(16_384)
    expect(defaultOutputTokens({ id: 'anthropic/claude-3-haiku-20240307' }, DEFAULT_PRICES)).toBe(4_096)
  })

  test('take at most a quarter of what is left, of tokens or of money, and room for a short reply', () => {
    const within = (left: object): number =>
      outputTokensWithin(16_384, left, { model: { id: 'a/large' }, prices, inputTokens: 100 })
    expect(within({})).toBe(16_384)
    expect(within({ totalTokens: 40_000 })).toBe(10_000)
    expect(within({ outputTokens: 24_000, totalTokens: 40_000 })).toBe(6_000)
    expect(within({ totalTokens: 3_000 })).toBe(750)
    expect(within({ totalTokens: 500 })).toBe(125)
    expect(within({ totalTokens: 10 })).toBe(64)
    expect(within({ money: 0.4 })).toBe(10_000)
    expect(within({ money: 0 })).toBe(64)
    expect(outputTokensWithin(50, { money: 0 }, { model: { id: 'a/small' }, prices, inputTokens: 1 })).toBe(50)
  })
})

test('what a model says of itself counts more than what the prices say of it', () => {
  expect(capabilitiesOf({ id: 'a/large', capabilities: { contextTokens: 5, tools: false } }, prices)).toEqual({
    contextTokens: 5,
    maxOutputTokens: 128_000,
    tools: false,
  })
  expect(capabilitiesOf({ id: 'a/unknown' }, prices)).toEqual({})
})
