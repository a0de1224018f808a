import { modelById, resolveEmbeddingModel, resolveModel, textOf, userMessage } from 'mandate/model'
import { expect, test } from 'vitest'
import { ask } from './conversation.ts'
import { events, json, loopback } from './loopback.ts'
import { speak } from './speech.ts'
import type { WireName } from './wires.ts'

const load = (name: string): Promise<unknown> => import(name)
const hello = [userMessage('Hello.')]

/** A pretended provider behind a real id: package, key and base URL as a user has them. */
const ids: readonly [id: string, wire: WireName, env: (url: string) => Record<string, string>][] = [
  ['openai/gpt-5', 'responses', (url) => ({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: url })],
  ['openai.chat/gpt-5', 'chat', (url) => ({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: url })],
  ['anthropic/claude-sonnet-5', 'anthropic', (url) => ({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url })],
  ['google/gemini-2.5-flash', 'google', (url) => ({ GEMINI_API_KEY: 'k', GOOGLE_GENERATIVE_AI_BASE_URL: url })],
  ['deepseek/deepseek-chat', 'deepseek', (url) => ({ DEEPSEEK_API_KEY: 'k', DEEPSEEK_BASE_URL: url })],
  ['openai-compatible/some-model', 'compatible', (url) => ({ OPENAI_COMPATIBLE_BASE_URL: url })],
  ['ollama/llama3:8b', 'compatible', (url) => ({ OLLAMA_HOST: url.replace('http://', '') })],
  ['vllm/org/model', 'compatible', (url) => ({ VLLM_BASE_URL: url })],
]

test.each(ids)('%s speaks to the server that the environment names', async (id, wire, env) => {
  await using server = await loopback(events(speak(wire, { text: 'Hello back.' })))
  for (const model of [
    await resolveModel(id, { load, env: env(server.url) }),
    modelById(id, { load, env: env(server.url) }),
  ]) {
    expect(textOf((await ask(model, hello)).message)).toBe('Hello back.')
    expect(model.id).toBe(id.replace('.chat', ''))
  }
  expect(server.asked).toHaveLength(2)
  const isPlain = id.startsWith('openai-') || id.startsWith('ollama') || id.startsWith('vllm')
  const { headers } = server.asked[0]!
  const key = headers.authorization ?? headers['x-api-key'] ?? headers['x-goog-api-key']
  expect(key).toBe(isPlain ? undefined : id.startsWith('anthropic') || id.startsWith('google') ? 'k' : 'Bearer k')
})

test('a package that is not installed is named with the command that installs it', async () => {
  const env = { MISTRAL_API_KEY: 'k' }
  await expect(resolveModel('mistral/mistral-large', { load, env })).rejects.toThrow(
    'needs the package @ai-sdk/mistral, which is not installed. Run: npm install @ai-sdk/mistral',
  )
})

test('options reach the provider through an id as well', async () => {
  await using server = await loopback(events(speak('responses', { text: 'Hi.' })))
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: server.url }
  const settings = { reasoning: 'low', providerOptions: { openai: { store: false } } }
  const model = await resolveModel('openai/gpt-5', { load, env }, { settings })
  await ask(model, hello)
  expect(server.asked[0]!.body).toMatchObject({ store: false, reasoning: { effort: 'low' } })
})

test('embedding ids are resolved likewise, and a provider that has none says so', async () => {
  const data = [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }]
  await using server = await loopback(
    json({ object: 'list', data, model: 'e', usage: { prompt_tokens: 3, total_tokens: 3 } }),
  )
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k' }
  const model = await resolveEmbeddingModel('openai/text-embedding-3-small', { load, env })
  const call = { signal: new AbortController().signal, attempt: 1, idempotencyKey: 'k' }
  expect(await model.embed({ values: ['a'] }, call)).toMatchObject({
    embeddings: [[0.5, 0.25]],
    usage: { inputTokens: 3 },
  })
  expect(model.id).toBe('openai/text-embedding-3-small')
  await expect(resolveEmbeddingModel('anthropic/none', { load, env })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})
