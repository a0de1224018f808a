import { FREE } from './prices.ts'
import type { Price, PriceTable } from './prices.ts'

/** Per million tokens. */
type Dollars = readonly [input: number, output: number, cached: number]

/** The output and context limits of a model. A limit without a source is left out. */
type Limits = readonly [maxOutputTokens?: number, contextTokens?: number]

const claude = ([input, output, cached]: Dollars, limits: Limits): Price => ({
  inputPerMillion: input,
  outputPerMillion: output,
  cachedInputPerMillion: cached,
  cacheWritePerMillion: input * 1.25,
  ...limited(limits),
})

const plain = ([input, output, cached]: Dollars, asOf: string, limits: Limits = []): Price => ({
  inputPerMillion: input,
  outputPerMillion: output,
  cachedInputPerMillion: cached,
  asOf,
  ...limited(limits),
})

function limited([maxOutputTokens, contextTokens]: Limits): Pick<Price, 'contextTokens' | 'maxOutputTokens'> {
  return {
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  }
}

/** The date on which lines without a date of their own were checked. */
export const OWN_DATE = '2026-10-10'

/** Hand-maintained prices, newer than the snapshot. A pattern matches one model and its dated versions: members of a family differ in price. */
export const OWN_PRICES: PriceTable['models'] = {
  'scripted/*': FREE,

  // Self-hosted servers.
  'ollama/*': FREE,
  'lmstudio/*': FREE,
  'llama.cpp/*': FREE,
  'llamacpp/*': FREE,
  'llamafile/*': FREE,
  'localai/*': FREE,
  'vllm/*': FREE,

  // Limits: https://platform.claude.com/docs/en/models for lines with both limits, else those of the package @ai-sdk/anthropic (a test compares all of them).
  'anthropic/claude-opus-5-5*': claude([4, 20, 0.2], [128_000, 1_000_000]),
  'anthropic/claude-opus-5': claude([5, 25, 0.5], [128_000, 1_000_000]),
  'anthropic/claude-opus-4-8*': claude([5, 25, 0.5], [128_000]),
  'anthropic/claude-opus-4-7*': claude([5, 25, 0.5], [128_000]),
  'anthropic/claude-opus-4-6*': claude([5, 25, 0.5], [128_000]),
  'anthropic/claude-opus-4-5*': claude([5, 25, 0.5], [64_000, 200_000]),
  'anthropic/claude-opus-4-1*': claude([15, 75, 1.5], [32_000, 200_000]),
  'anthropic/claude-sonnet-5-5*': claude([2, 10, 0.1], [128_000, 1_000_000]),
  'anthropic/claude-sonnet-5': claude([2, 10, 0.2], [128_000, 1_000_000]),
  'anthropic/claude-sonnet-4-6*': claude([3, 15, 0.3], [128_000]),
  'anthropic/claude-sonnet-4-5*': claude([3, 15, 0.3], [64_000, 200_000]),
  'anthropic/claude-haiku-5-5*': {
    ...claude([0.1, 0.5, 0.01], [128_000, 1_000_000]),
    above: {
      inputTokens: 100_000,
      inputPerMillion: 0.5,
      outputPerMillion: 2.5,
      cachedInputPerMillion: 0.05,
      cacheWritePerMillion: 0.625,
    },
  },
  'anthropic/claude-haiku-4-5*': claude([1, 5, 0.1], [64_000, 200_000]),

  // https://cohere.com/pricing; limits: https://docs.cohere.com/docs/models. Command A and R+ are listed there for customers who have them.
  'cohere/command-a-03-2025': {
    inputPerMillion: 2.5,
    outputPerMillion: 10,
    asOf: '2025-10',
    ...limited([8_000, 256_000]),
  },
  'cohere/command-r-plus-08-2024': {
    inputPerMillion: 2.5,
    outputPerMillion: 10,
    asOf: '2025-10',
    ...limited([4_000, 128_000]),
  },
  'cohere/command-r-08-2024': {
    inputPerMillion: 0.15,
    outputPerMillion: 0.6,
    asOf: '2026-11',
    ...limited([4_000, 128_000]),
  },
  'cohere/command-r7b-12-2024': {
    inputPerMillion: 0.0375,
    outputPerMillion: 0.15,
    asOf: '2026-11',
    ...limited([4_000, 128_000]),
  },
  'cohere/embed-v4.0': { inputPerMillion: 0.12, outputPerMillion: 0, asOf: '2026-06' },

  // Limits: the model pages of https://developers.openai.com/api/docs/models; those of GPT-5.4 nano are unknown.
  'openai/gpt-5.4': {
    ...plain([2.5, 15, 0.25], '2026-06', [128_000, 1_050_000]),
    above: { inputTokens: 272_000, inputPerMillion: 5, outputPerMillion: 22.5 },
  },
  'openai/gpt-5.4-mini': plain([0.75, 4.5, 0.075], '2026-06', [128_000, 400_000]),
  'openai/gpt-5.4-nano': plain([0.2, 1.25, 0.02], '2026-06'),
  // Limits from here on: the snapshot, which has the same models (a test compares them).
  'openai/gpt-5': plain([1.25, 10, 0.125], '2026-03', [128_000, 400_000]),
  'openai/gpt-5-mini': plain([0.25, 2, 0.025], '2026-03', [128_000, 400_000]),
  'openai/gpt-5-nano': plain([0.05, 0.4, 0.005], '2026-03', [128_000, 400_000]),
  'openai/gpt-4.1': plain([2, 8, 0.5], '2026-06', [32_768, 1_047_576]),
  'openai/gpt-4.1-mini': plain([0.4, 1.6, 0.1], '2026-06', [32_768, 1_047_576]),
  'openai/gpt-4.1-nano': plain([0.1, 0.4, 0.025], '2026-06', [32_768, 1_047_576]),
  'openai/gpt-4o': plain([2.5, 10, 1.25], '2026-06', [16_384, 128_000]),
  'openai/gpt-4o-mini': plain([0.15, 0.6, 0.075], '2026-06', [16_384, 128_000]),

  'google/gemini-2.5-pro': {
    ...plain([1.25, 10, 0.125], '2026-01', [65_536, 1_048_576]),
    above: { inputTokens: 200_000, inputPerMillion: 2.5, outputPerMillion: 15, cachedInputPerMillion: 0.25 },
  },
  'google/gemini-2.5-flash': plain([0.3, 2.5, 0.03], '2026-01', [65_536, 1_048_576]),
  // The snapshot has only a preview, with another context limit.
  'google/gemini-2.5-flash-lite': plain([0.1, 0.4, 0.01], '2026-01', [65_536]),
}
