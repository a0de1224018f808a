import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createOpenAI } from '@ai-sdk/openai'
import { AgentService } from 'mandate'
import type { AgentResult, MandateEvent } from 'mandate'
import { DEFAULT_PRICES, fromAiSdk, withPrices } from 'mandate/model'
import { expect, onTestFinished, test } from 'vitest'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A model server on loopback, as the base URL of a provider. */
async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => answer(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

interface Ran {
  readonly result: AgentResult
  readonly events: readonly MandateEvent[]
}

/** Prices as on the internet, because a server on loopback costs nothing. */
const PRICES = withPrices(DEFAULT_PRICES, '2026-11-19', {
  'openai/paid': { inputPerMillion: 1_000, outputPerMillion: 1_000, maxOutputTokens: 20_000 },
})

async function ask(baseURL: string, { streaming = true, budget = {} } = {}): Promise<Ran> {
  const provider = createOpenAI({ baseURL, apiKey: 'none' })
  const model = fromAiSdk(provider.chat('paid'), { capabilities: { local: false }, streaming })
  const service = new AgentService({ prices: PRICES, agents: [{ id: 'a', model, budget }] })
  onTestFinished(async () => void (await service.stop()))
  const events: MandateEvent[] = []
  service.events.on('*', (event) => void events.push(event))
  return { result: await service.run('a', 'How are you?'), events }
}

const page: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end('<!doctype html><html><body>Please log in to this network.</body></html>')
}
const refusing =
  (status: number): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'Incorrect API key provided.', type: 'invalid_request_error' } }))
  }

/** A reply in the form of chat completions, with this usage at its end. */
const streaming =
  (text: string, usage: object | undefined): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const say = (fields: object): void => {
      const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'paid', choices: [], ...fields }
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    }
    say({ choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }] })
    say({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    if (usage !== undefined) say({ usage })
    response.end('data: [DONE]\n\n')
  }

const NOTHING = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

test('a connection that was never opened costs nothing, whether nobody listens or the host has no address', async () => {
  const gone = createServer()
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
  const { port } = gone.address() as AddressInfo
  await new Promise<void>((resolve) => gone.close(() => resolve()))
  for (const url of [`http://127.0.0.1:${port}/v1`, 'http://no-such-host.invalid/v1']) {
    const { result } = await ask(url)
    expect(result).toMatchObject({ status: 'failed', usage: NOTHING, cost: 0, error: { code: 'MODEL_FAILED' } })
    expect(result.usage.estimated).toBeUndefined()
  }
}, 30_000)

test.each([401, 403, 404])('a refusal with %s costs nothing, because no model was asked', async (status) => {
  const { result } = await ask(await serve(refusing(status)), { budget: { totalTokens: 50_000 } })
  expect(result).toMatchObject({ status: 'failed', usage: NOTHING, cost: 0 })
  expect(result.error!.message).toContain('Incorrect API key')
})

test.each([true, false])(
  'a web page in place of an answer costs nothing, is not asked for again and is named (streaming: %s)',
  async (isStreaming) => {
    let requests = 0
    const url = await serve((request, response) => {
      requests += 1
      page(request, response)
    })
    const { result } = await ask(url, { streaming: isStreaming })
    expect(result).toMatchObject({ status: 'failed', usage: NOTHING, cost: 0 })
    expect(result.error!.message).toMatch(/web page instead of the answer.*login page/u)
    expect(requests).toBe(1)
  },
)

test.each<[string, object | undefined]>([
  ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
  ['no output', { prompt_tokens: 12, completion_tokens: 0, total_tokens: 12 }],
  ['nothing', undefined],
])('text with a usage of %s counts as estimated, everywhere', async (_, usage) => {
  const { result, events } = await ask(await serve(streaming('word '.repeat(500), usage)))
  expect(result.status).toBe('completed')
  expect(result.usage).toMatchObject({ estimated: true })
  expect(result.usage.outputTokens).toBeGreaterThan(500)
  expect(result.usage.inputTokens).toBeGreaterThan(0)
  expect(result.cost).toBeGreaterThan(0.5)
  const { modelCalls, diagnostics } = result.report()
  expect(modelCalls).toMatchObject([{ tokenUsage: { estimated: true } }])
  expect(diagnostics.warnings).toEqual([expect.stringContaining('estimated')])
  const spent = events.flatMap(({ type, data }) => (type === 'effect-end' || type === 'run-end' ? [data.spent] : []))
  expect(spent).toMatchObject([{ estimated: true }, { estimated: true }])
})

test('a usage that is reported is not marked, and neither is an empty answer that took no tokens', async () => {
  const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 }
  const { result } = await ask(await serve(streaming('Well.', usage)))
  expect(result.usage).toEqual({ inputTokens: 12, outputTokens: 3, totalTokens: 15 })
  const empty = await ask(await serve(streaming('', { prompt_tokens: 12, completion_tokens: 0, total_tokens: 12 })))
  expect(empty.result.usage.estimated).toBeUndefined()
})

test('an outage of a server that was asked counts as estimated, is shown attempt by attempt, and says how many there were', async () => {
  const { result, events } = await ask(await serve(refusing(503)))
  expect(result.status).toBe('failed')
  expect(result.usage).toMatchObject({ estimated: true, outputTokens: 0 })
  expect(result.error!.message).toContain('(3 attempts)')
  const retries = events.flatMap(({ type, data }) => (type === 'effect-retry' ? [data] : []))
  expect(retries.map(({ attempt, spent }) => [attempt, spent?.estimated])).toEqual([
    [2, true],
    [3, true],
  ])
}, 30_000)

test('a small budget lets a small first call through, and what does not fit names the reserve for the reply', async () => {
  const url = await serve(streaming('Well.', { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 }))
  expect((await ask(url, { budget: { totalTokens: 3_000 } })).result).toMatchObject({
    status: 'completed',
    text: 'Well.',
  })
  expect((await ask(url, { budget: { money: 0.2 } })).result.status).toBe('completed')
  const { error } = (await ask(url, { budget: { totalTokens: 50 } })).result
  expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED' })
  expect(error!.message).toMatch(/with a reserve of 64 output tokens for the reply \(`maxTokens`/u)
})
