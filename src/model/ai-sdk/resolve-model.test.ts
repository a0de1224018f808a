import { expect, test } from 'vitest'
import { textOf } from '../message.ts'
import { collectReply } from '../reply.ts'
import { callNow, end, fakeModel } from './ai-sdk.fixture.ts'
import type { ModelSources } from './model-id.ts'
import { AI_SDK_PROVIDERS } from './providers.ts'
import { modelById } from './model-by-id.ts'
import { resolveEmbeddingModel, resolveModel } from './resolve-model.ts'

interface World extends ModelSources {
  readonly loaded: string[]
  readonly settings: object[]
}

/** Every package is installed and makes models that say hello. */
function world(env: ModelSources['env'], load?: ModelSources['load']): World {
  const loaded: string[] = []
  const settings: object[] = []
  const factory = (given: object): object => {
    settings.push(given)
    const make = (modelId: string): object => ({
      ...fakeModel([{ type: 'text-delta', id: '0', delta: 'Hello.' }, end]),
      modelId,
    })
    return { languageModel: make, chat: make }
  }
  const names = Object.values(AI_SDK_PROVIDERS).flatMap((row) => row.factory)
  const module = Object.fromEntries(names.map((name) => [name, factory]))
  const all = async (name: string): Promise<unknown> => {
    loaded.push(name)
    return load === undefined ? module : load(name)
  }
  return { loaded, settings, env, load: all }
}

const keyed = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'a' }

test('an id is resolved through the package, the key and the base URL of its provider', async () => {
  const sources = world({ ...keyed, OPENAI_BASE_URL: 'http://127.0.0.1:8080/v1/' })
  const model = await resolveModel('openai/gpt-5', sources)
  expect(model).toMatchObject({ id: 'openai/gpt-5', provider: 'openai', modelId: 'gpt-5' })
  expect(sources.loaded).toEqual(['@ai-sdk/openai'])
  expect(sources.settings).toEqual([{ apiKey: 'k', baseURL: 'http://127.0.0.1:8080/v1' }])
})

test('an id may name the API, and model names may contain slashes and colons', async () => {
  expect(await resolveModel('openai.chat/gpt-5', world(keyed))).toMatchObject({ id: 'openai/gpt-5' })
  const local = await resolveModel('ollama/library/llama3:8b', world({}))
  expect(local).toMatchObject({ id: 'ollama/library/llama3:8b', provider: 'ollama', modelId: 'library/llama3:8b' })
  await expect(resolveModel('openai.telegraph/gpt-5', world(keyed))).rejects.toThrow('has no telegraph')
})

test('what is missing is named: the variable to set, the package to install, the form to write', async () => {
  await expect(resolveModel('openai/gpt-5', world({}))).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: '"openai/gpt-5" needs OPENAI_API_KEY. Set it in the environment.',
  })
  await expect(resolveModel('openai/gpt-5', world({ OPENAI_API_KEY: ' ' }))).rejects.toThrow('OPENAI_API_KEY')
  await expect(resolveModel('google/gemini', world({}))).rejects.toThrow(
    'GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY',
  )
  await expect(resolveModel('openai-compatible/m', world({}))).rejects.toThrow('OPENAI_COMPATIBLE_BASE_URL')
  const bare = world(keyed, (name) => Promise.reject(new Error(`Cannot find package '${name}' imported from x`)))
  await expect(resolveModel('openai/gpt-5', bare)).rejects.toThrow('not installed. Run: npm install @ai-sdk/openai')
  const broken = world(keyed, () => Promise.reject(new Error('unexpected token')))
  await expect(resolveModel('openai/gpt-5', broken)).rejects.toThrow('could not be loaded (unexpected token)')
  const old = world(keyed, async () => ({}))
  await expect(resolveModel('openai/gpt-5', old)).rejects.toThrow('has no createOpenAI. Install a newer one')
  await expect(resolveModel('gpt-5', world(keyed))).rejects.toThrow('"openai/gpt-5"')
  await expect(resolveModel('openai:gpt-5', world(keyed))).rejects.toThrow('Write it like "openai/gpt-5"')
  await expect(resolveModel('opnai/gpt-5', world(keyed))).rejects.toThrow(
    /provider "opnai".*Did you mean "openai\/gpt-5"\?/,
  )
  await expect(resolveModel('acme/gpt-5', world(keyed))).rejects.toThrow(/provider "acme".*openai, anthropic/)
  await expect(resolveModel('constructor/x', world(keyed))).rejects.toThrow('not known')
  await expect(resolveModel('openai/x', world({ ...keyed, OPENAI_BASE_URL: 'http://[' }))).rejects.toThrow(
    'not an address',
  )
})

test('base URLs that name only a host get the path their provider expects', async () => {
  const urls = async (id: string, env: ModelSources['env']): Promise<unknown> => {
    const sources = world({ ...keyed, ...env })
    await resolveModel(id, sources)
    return (sources.settings[0] as { baseURL?: string }).baseURL
  }
  expect(await urls('anthropic/c', { ANTHROPIC_BASE_URL: 'https://api.anthropic.com' })).toBe(
    'https://api.anthropic.com/v1',
  )
  expect(await urls('anthropic/c', { ANTHROPIC_BASE_URL: 'https://proxy/a/' })).toBe('https://proxy/a')
  expect(await urls('openai/g', { OPENAI_BASE_URL: 'http://127.0.0.1:1' })).toBe('http://127.0.0.1:1')
  expect(await urls('ollama/l', { OLLAMA_HOST: '10.0.0.1:11434' })).toBe('http://10.0.0.1:11434/v1')
  expect(await urls('ollama/l', {})).toBe('http://127.0.0.1:11434/v1')
  expect(await urls('anthropic/c', {})).toBeUndefined()
})

test('a provider of the host’s own can be added', async () => {
  const providers = {
    mine: { package: 'my-provider', factory: ['createOpenAI'], from: { apiKey: ['MY_KEY'] }, needs: ['apiKey'] },
  }
  const sources = { ...world({ MY_KEY: 'm' }), providers }
  expect((await resolveModel('mine/large', sources)).id).toBe('mine/large')
  expect(sources.loaded).toEqual(['my-provider'])
})

test('by id, what is wrong is said at once and the package is loaded at the first call, once', async () => {
  expect(() => modelById('gpt-5', world(keyed))).toThrow('provider/model')
  expect(() => modelById('openai/gpt-5', world({}))).toThrow('OPENAI_API_KEY')
  const sources = world(keyed)
  const model = modelById('openai/gpt-5', sources)
  expect(model).toMatchObject({
    id: 'openai/gpt-5',
    provider: 'openai',
    modelId: 'gpt-5',
    capabilities: { tools: true },
  })
  expect(sources.loaded).toEqual([])
  for (const _ of [1, 2]) {
    expect(textOf((await collectReply(model.stream({ messages: [] }, callNow()))).message)).toBe('Hello.')
  }
  expect(sources.loaded).toEqual(['@ai-sdk/openai'])
})

test('a package that was not there is looked for again at the next call', async () => {
  let isInstalled = false
  const whole = world(keyed)
  const load: ModelSources['load'] = (name) =>
    isInstalled ? whole.load(name) : Promise.reject(new Error(`no ${name}`))
  const model = modelById('openai/gpt-5', { env: keyed, load })
  await expect(collectReply(model.stream({ messages: [] }, callNow()))).rejects.toThrow('npm install @ai-sdk/openai')
  isInstalled = true
  expect((await collectReply(model.stream({ messages: [] }, callNow()))).finishReason).toBe('stop')
})

test('a provider without embedding models is refused with that reason', async () => {
  await expect(resolveEmbeddingModel('openai/e', world(keyed))).rejects.toThrow('has no embeddingModel')
})
