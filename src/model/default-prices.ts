import type { PriceTable } from './prices.ts'

const claude = (input: number, output: number, cached: number): PriceTable['models'][string] => ({
  inputPerMillion: input,
  outputPerMillion: output,
  cachedInputPerMillion: cached,
  cacheWritePerMillion: input * 1.25,
})

const plain = (input: number, output: number, cached: number, asOf?: string): PriceTable['models'][string] => ({
  inputPerMillion: input,
  outputPerMillion: output,
  cachedInputPerMillion: cached,
  ...(asOf === undefined ? {} : { asOf }),
})

/**
 * List prices of some models, as their providers published them up to the table's date. Prices change: check them before you rely on
 * the sums, and lay your own over them with `withPrices`. A model that is not here has no known price, and a run with a money limit
 * refuses it. Patterns name one model and its dated snapshots; a family never shares a line, because its members differ in price.
 */
export const DEFAULT_PRICES: PriceTable = {
  date: '2026-10-10',
  currency: 'USD',
  models: {
    'scripted/*': { inputPerMillion: 0, outputPerMillion: 0 },

    'anthropic/claude-opus-5-5*': claude(4, 20, 0.2),
    'anthropic/claude-opus-5': claude(5, 25, 0.5),
    'anthropic/claude-opus-4-8*': claude(5, 25, 0.5),
    'anthropic/claude-opus-4-7*': claude(5, 25, 0.5),
    'anthropic/claude-opus-4-6*': claude(5, 25, 0.5),
    'anthropic/claude-opus-4-5*': claude(5, 25, 0.5),
    'anthropic/claude-opus-4-1*': claude(15, 75, 1.5),
    'anthropic/claude-sonnet-5-5*': claude(2, 10, 0.1),
    'anthropic/claude-sonnet-5': claude(2, 10, 0.2),
    'anthropic/claude-sonnet-4-6*': claude(3, 15, 0.3),
    'anthropic/claude-sonnet-4-5*': claude(3, 15, 0.3),
    'anthropic/claude-haiku-5-5*': {
      ...claude(0.1, 0.5, 0.01),
      above: { inputTokens: 100_000, ...claude(0.5, 2.5, 0.05) },
    },
    'anthropic/claude-haiku-4-5*': claude(1, 5, 0.1),

    'openai/gpt-5.4': plain(2.5, 15, 0.25, '2026-06'),
    'openai/gpt-5.4-mini': plain(0.75, 4.5, 0.075, '2026-06'),
    'openai/gpt-5.4-nano': plain(0.2, 1.25, 0.02, '2026-06'),
    'openai/gpt-5': plain(1.25, 10, 0.125, '2026-03'),
    'openai/gpt-5-mini': plain(0.25, 2, 0.025, '2026-03'),
    'openai/gpt-5-nano': plain(0.05, 0.4, 0.005, '2026-03'),
    'openai/gpt-4.1': plain(2, 8, 0.5, '2026-06'),
    'openai/gpt-4.1-mini': plain(0.4, 1.6, 0.1, '2026-06'),
    'openai/gpt-4.1-nano': plain(0.1, 0.4, 0.025, '2026-06'),
    'openai/gpt-4o': plain(2.5, 10, 1.25, '2026-06'),
    'openai/gpt-4o-mini': plain(0.15, 0.6, 0.075, '2026-06'),

    'google/gemini-2.5-pro': {
      ...plain(1.25, 10, 0.125, '2026-01'),
      above: { inputTokens: 200_000, ...plain(2.5, 15, 0.25) },
    },
    'google/gemini-2.5-flash': plain(0.3, 2.5, 0.03, '2026-01'),
    'google/gemini-2.5-flash-lite': plain(0.1, 0.4, 0.01, '2026-01'),
  },
}
