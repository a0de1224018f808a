import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createOpenAI as createOpenAI2 } from 'ai-provider-v2'
import { createOpenAI as createOpenAI3 } from 'ai-provider-v3'
import { type AiSdkEmbeddingModel, fromAiSdkEmbedding } from 'mandate/model'
import { describe, expect, test } from 'vitest'
import { type Answer, json, loopback } from './loopback.ts'
import { at, listAt } from './raw-json.ts'

const apiKey = 'k'
const call = { signal: new AbortController().signal, attempt: 1, idempotencyKey: 'k' }

/** Turns each text into a vector that tells which text it was. */
const openai: Answer = (response, { body }) => {
  const data = listAt(body, 'input').map((text, index) => ({
    object: 'embedding',
    index,
    embedding: [Number(text), 1],
  }))
  const usage = { prompt_tokens: data.length, total_tokens: data.length }
  void json({ object: 'list', model: 'e', data, usage })(response, { path: '', headers: {}, body })
}

const google: Answer = (response, asked) => {
  const requests = listAt(asked.body, 'requests')
  const texts = requests.length > 0 ? requests : [asked.body]
  const embeddings = texts.map((one) => ({ values: [Number(at(one, 'content.parts.0.text')), 1] }))
  void json(requests.length > 0 ? { embeddings } : { embedding: embeddings[0] })(response, asked)
}

const models: readonly [name: string, answer: Answer, make: (url: string) => AiSdkEmbeddingModel][] = [
  ['openai, v4', openai, (baseURL) => createOpenAI({ apiKey, baseURL }).embeddingModel('e')],
  ['openai, v3', openai, (baseURL) => createOpenAI3({ apiKey, baseURL }).embeddingModel('e')],
  ['openai, v2', openai, (baseURL) => createOpenAI2({ apiKey, baseURL }).textEmbeddingModel('e')],
  ['google', google, (baseURL) => createGoogle({ apiKey, baseURL }).embeddingModel('gemini-embedding-001')],
  ['openai-compatible', openai, (baseURL) => createOpenAICompatible({ name: 'local', baseURL }).embeddingModel('e')],
]

describe.each(models)('embedding with %s', (_name, answer, make) => {
  test('gives one vector per text, in their order, over as many calls as the provider needs', async () => {
    await using server = await loopback(answer)
    const values = Array.from({ length: 5_000 }, (_, index) => String(index))
    const reply = await fromAiSdkEmbedding(make(server.url)).embed({ values }, call)
    expect(reply.embeddings.map(([first]) => first)).toEqual(values.map(Number))
    expect(server.asked.length).toBeGreaterThan(1)
    expect(reply.usage.inputTokens).toBeGreaterThan(0)
  })

  test('fails like a model fails, and is cut like one', async () => {
    await using server = await loopback(
      json({ error: { message: 'Slow down', type: 't', code: 429, status: 'X' } }, 429, { 'retry-after': '2' }),
    )
    await expect(fromAiSdkEmbedding(make(server.url)).embed({ values: ['1'] }, call)).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      info: { status: 429, retriable: true, retryAfterMs: 2_000 },
    })
    await using silent = await loopback(() => {})
    const cut = { ...call, signal: AbortSignal.timeout(30) }
    await expect(fromAiSdkEmbedding(make(silent.url)).embed({ values: ['1'] }, cut)).rejects.toMatchObject({
      code: 'MODEL_TIMEOUT',
    })
  })
})

test('no texts ask nothing', async () => {
  await using server = await loopback(openai)
  const model = fromAiSdkEmbedding(createOpenAI({ apiKey, baseURL: server.url }).embeddingModel('e'))
  expect(await model.embed({ values: [] }, call)).toMatchObject({ embeddings: [], usage: { inputTokens: 0 } })
  expect(server.asked).toEqual([])
})

test('the wanted length is asked for where the specification has a word for it, and noted where it has none', async () => {
  await using server = await loopback(openai)
  const baseURL = server.url
  const now = fromAiSdkEmbedding(createOpenAI({ apiKey, baseURL }).embeddingModel('e'))
  await now.embed({ values: ['1'], dimensions: 2 }, call)
  expect(server.asked[0]!.body).toMatchObject({ dimensions: 2 })
  const old = fromAiSdkEmbedding(createOpenAI3({ apiKey, baseURL }).embeddingModel('e'))
  expect((await old.embed({ values: ['1'], dimensions: 2 }, call)).warnings.join()).toContain('dimensions')
})

test('a provider that gives too few vectors is not believed', async () => {
  await using server = await loopback(
    json({ object: 'list', model: 'e', data: [], usage: { prompt_tokens: 1, total_tokens: 1 } }),
  )
  const model = fromAiSdkEmbedding(createOpenAI({ apiKey, baseURL: server.url }).embeddingModel('e'))
  await expect(model.embed({ values: ['1'] }, call)).rejects.toThrow('0 vectors for 1 texts')
})
