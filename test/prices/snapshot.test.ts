import { readFileSync } from 'node:fs'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { expect, test } from 'vitest'
import { AI_SDK_PROVIDERS, DEFAULT_PRICES, fromAiSdk, fromAiSdkEmbedding, modelById } from '../../src/model/index.ts'
import { priceFor, priceOf, withPrices } from '../../src/model/index.ts'
import type { Price } from '../../src/model/index.ts'
import { OWN_PRICES } from '../../src/model/prices/own-prices.ts'
import { SNAPSHOT } from '../../src/model/prices/snapshot.ts'
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
  expect(unpriced).toEqual(['openai-compatible'])
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

test('limits that are kept by hand are those of their sources', async () => {
  const limitsOf = ({ contextTokens, maxOutputTokens }: Price): object => ({ contextTokens, maxOutputTokens })
  for (const [id, price] of Object.entries(OWN_PRICES)) {
    const provider = id.split('/', 1)[0]!
    const name = id.slice(provider.length + 1)
    const line = SNAPSHOT[provider]?.split(' ').find((each) => each.startsWith(`${name},`))
    if (line !== undefined) {
      const [context, output] = line.split(',').slice(-2).map(Number)
      expect(limitsOf(price), id).toEqual({ contextTokens: context, maxOutputTokens: output })
    }
    if (provider === 'anthropic') expect(price.maxOutputTokens, id).toBe(await askedOf(name.replace('*', '')))
  }
})

/** How many output tokens the package of the provider asks for by itself. */
async function askedOf(model: string): Promise<unknown> {
  let asked: unknown
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    asked = (JSON.parse(init!.body as string) as { max_tokens: number }).max_tokens
    return Response.json({ type: 'error', error: { type: 'none', message: 'none' } }, { status: 400 })
  }
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }]
  await expect(createAnthropic({ apiKey: 'k', fetch })(model).doGenerate({ prompt })).rejects.toThrow('none')
  return asked
}

test.each([
  ['bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic/claude-sonnet-4-5-20250929'],
  ['amazon-bedrock/us.anthropic.claude-opus-5-v1:0', 'anthropic/claude-opus-5'],
  ['amazon-bedrock/eu.amazon.nova-pro-v1:0', 'amazon-bedrock/amazon.nova-pro-v1:0'],
  ['bedrock/us.anthropic.claude-3-haiku-20240307-v1:0', 'amazon-bedrock/anthropic.claude-3-haiku-20240307-v1:0'],
  ['bedrock/cohere.command-r-v1:0', 'amazon-bedrock/cohere.command-r-v1:0'],
  ['bedrock/cohere.command-r7b-12-2024', 'cohere/command-r7b-12-2024'],
])('%s costs what %s does', (id, base) => {
  const price = priceOf(DEFAULT_PRICES, id)
  expect(price).toBeDefined()
  expect(price).toBe(priceOf(DEFAULT_PRICES, base))
})

test('what Bedrock has and the table has not stays unknown, and an own line comes first', () => {
  for (const id of [
    'bedrock/us.meta.unheard-of-v1:0',
    'bedrock/openai.gpt-5',
    'azure/anthropic.claude-opus-5',
    'bedrock/',
  ])
    expect(priceOf(DEFAULT_PRICES, id), id).toBeUndefined()
  const own = { inputPerMillion: 7, outputPerMillion: 7 }
  const table = withPrices(DEFAULT_PRICES, '2026-11-16', { 'bedrock/us.*': own })
  expect(priceOf(table, 'bedrock/us.anthropic.claude-opus-5-v1:0')).toBe(own)
})
