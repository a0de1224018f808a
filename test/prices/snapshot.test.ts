import { readFileSync } from 'node:fs'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { expect, test } from 'vitest'
import { AI_SDK_PROVIDERS, DEFAULT_PRICES, fromAiSdk, fromAiSdkEmbedding, modelById } from '../../src/model/index.ts'
import { priceFor } from '../../src/model/index.ts'
import { CATALOGUE_DATE, snapshotText } from './snapshot-text.ts'

const file = new URL('../../src/model/prices/snapshot.ts', import.meta.url)

/** Without what only the formatter decides. */
const bare = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/["']/g, '')

test('the kept prices are those of the catalogue they were made from', () => {
  expect(bare(readFileSync(file, 'utf8')), 'run: node scripts/price-snapshot.ts').toBe(bare(snapshotText()))
})

test('every price has a date, and there are prices for most providers that ids can name', () => {
  const lines = Object.entries(DEFAULT_PRICES.models)
  expect(lines.length).toBeGreaterThan(450)
  expect(DEFAULT_PRICES.date > CATALOGUE_DATE).toBe(true)
  for (const [id, { asOf = DEFAULT_PRICES.date }] of lines) expect(asOf, id).toMatch(/^20\d\d-\d\d(-\d\d)?$/)
  const priced = new Set(lines.map(([id]) => id.split('/', 1)[0]!))
  const unpriced = Object.keys(AI_SDK_PROVIDERS).filter((name) => !priced.has(name))
  expect(unpriced).toEqual(['cohere', 'openai-compatible'])
})

test.each([
  ['http://127.0.0.1:8080/v1', true],
  ['http://localhost:1234/v1', true],
  ['http://[::1]:1234/v1', true],
  ['http://127.0.0.1.example.com/v1', false],
  ['https://api.example.com/v1', false],
])('a model at %s costs nothing: %s', (baseURL, isFree) => {
  const provider = createOpenAICompatible({ name: 'mine', baseURL })
  const models = [
    fromAiSdk(provider('some-model')),
    fromAiSdk(createOpenAI({ baseURL, apiKey: 'k' }).chat('some-model')),
    modelById('openai-compatible/some-model', {
      load: (name) => import(name),
      env: { OPENAI_COMPATIBLE_BASE_URL: baseURL },
    }),
  ]
  for (const model of models) {
    const price = priceFor(DEFAULT_PRICES, model)
    expect(price, model.id).toEqual(isFree ? { inputPerMillion: 0, outputPerMillion: 0 } : undefined)
  }
  expect(fromAiSdkEmbedding(provider.embeddingModel('e')).local).toBe(isFree ? true : undefined)
})

test('a proxy on this machine does not make a model free whose price is known', () => {
  const model = fromAiSdk(createOpenAI({ baseURL: 'http://127.0.0.1:4000/v1', apiKey: 'k' })('gpt-5'))
  expect(model.capabilities?.local).toBe(true)
  expect(priceFor(DEFAULT_PRICES, model)?.outputPerMillion).toBe(10)
})
