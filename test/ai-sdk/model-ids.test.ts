import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Agent } from 'mandate'
import { installedModels } from 'mandate/connect'

let url = ''
const asked: { readonly path: string; readonly key: string | undefined; readonly model: string }[] = []

/** Speaks the wire of a chat completions API: one answer. */
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (data: Buffer) => (body += data.toString()))
  request.on('end', () => {
    const { model } = JSON.parse(body) as { model: string }
    asked.push({ path: request.url ?? '', key: request.headers.authorization, model })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (choice: object, usage?: object): void => {
      const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, ...choice }] }
      response.write(`data: ${JSON.stringify({ ...chunk, usage })}\n\n`)
    }
    send({ delta: { role: 'assistant', content: 'Hello.' }, finish_reason: null })
    send({ delta: {}, finish_reason: 'stop' }, { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 })
    response.end('data: [DONE]\n\n')
  })
})

beforeEach(async () => {
  asked.length = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  vi.stubEnv('OPENAI_BASE_URL', url)
  vi.stubEnv('OPENAI_API_KEY', 'key-of-the-environment')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await new Promise((resolve) => server.close(resolve))
})

it('an agent takes a model by its id, through the installed package and the environment', async () => {
  const agent = new Agent({ id: 'helper', model: 'openai.chat/gpt-5-mini' })
  expect(await agent.run('Say hello.')).toMatchObject({ status: 'completed', text: 'Hello.' })
  expect(asked).toEqual([{ path: '/v1/chat/completions', key: 'Bearer key-of-the-environment', model: 'gpt-5-mini' }])
})

it('keys can come from elsewhere', async () => {
  const modelSources = installedModels({ OPENAI_API_KEY: 'another-key', OPENAI_BASE_URL: url })
  const agent = new Agent({ id: 'helper', model: 'openai.chat/gpt-5-mini' }, { modelSources })
  expect((await agent.run('Say hello.')).text).toBe('Hello.')
  expect(asked.map(({ key }) => key)).toEqual(['Bearer another-key'])
})

it('a missing key, provider or package is named', async () => {
  vi.stubEnv('OPENAI_API_KEY', '')
  expect(() => new Agent({ model: 'openai/gpt-5-mini' })).toThrow(/OPENAI_API_KEY/)
  expect(() => new Agent({ model: 'opnai/gpt-5-mini' })).toThrow(/"opnai", which is not known/)
  vi.stubEnv('BASETEN_API_KEY', 'x')
  const { status, error } = await new Agent({ model: 'baseten/some-model' }).run('Say hello.')
  expect({ status, message: error?.message }).toEqual({
    status: 'failed',
    message: expect.stringContaining('npm install @ai-sdk/baseten'),
  })
  expect(asked).toEqual([])
})
