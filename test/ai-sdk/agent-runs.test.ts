import { Agent, type AgentResult, defineTool } from 'mandate'
import { type Clock, systemClock } from '../../src/core/index.ts'
import type { FromAiSdkOptions } from '../../src/model/ai-sdk/from-ai-sdk.ts'
import { fromAiSdk, modelById, textOf, userMessage } from 'mandate/model'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ask, goOn } from './conversation.ts'
import { type Answer, type Loopback, events, json, loopback } from './loopback.ts'
import { readRecordings } from './recordings.ts'
import { speak, speakCut, speakers } from './speech.ts'
import { type WireName, wires } from './wires.ts'

interface Ran {
  readonly result: AgentResult
  readonly server: Loopback
  /** What the tool was given, in order. */
  readonly weather: unknown[]
  /** What listeners saw, with what a failed attempt showed taken back. */
  readonly shown: string
}

interface Setup {
  readonly answers: readonly Answer[]
  readonly options?: FromAiSdkOptions
  readonly limits?: { readonly modelTimeoutMs?: number; readonly attempts?: number }
}

/** Waits between attempts are cut short; time limits are not. */
const hasty: Clock = {
  now: systemClock.now,
  timer: (ms, fire) => systemClock.timer(ms > 100 && ms < 3_000 ? 1 : ms, fire),
}

/** A whole run of an agent with one tool, over a real provider package and a server of ours. */
async function runAgent(wire: WireName, { answers, options, limits }: Setup): Promise<Ran> {
  await using server = await loopback(...answers)
  const weather: unknown[] = []
  const tool = defineTool({
    name: 'weather',
    description: 'Tells the weather of a city.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    risk: 'read',
    run: (input: { city: string }) => {
      weather.push(input)
      return { city: input.city, degrees: 21 }
    },
  })
  const model = fromAiSdk(wires[wire].model(server.url), options)
  const agent = new Agent(
    { id: 'meteorologist', model, tools: [tool], instructions: 'Use the tool.' },
    { clock: hasty, ...(limits === undefined ? {} : { limits }) },
  )
  let shown = ''
  const run = agent.run('How warm is Oslo?')
  for await (const event of run) {
    if (event.type === 'text-delta') shown += event.data.text
    if (event.type === 'stream-reset') shown = ''
  }
  const result = await run
  return { result, server, weather, shown }
}

const call = { calls: [{ id: 'call_1', name: 'weather', input: '{"city":"Oslo"}' }], text: 'Let me look.' }
const answer = { text: 'It is 21 degrees in Oslo.' }

describe.each(speakers)('an agent with a tool, over %s', (wire) => {
  test('calls the tool, is told its result and answers', async () => {
    const { result, server, weather } = await runAgent(wire, {
      answers: [events(speak(wire, call)), events(speak(wire, answer))],
    })
    expect({ ...result, ...result.report() }).toMatchObject({
      status: 'completed',
      lastText: answer.text,
      toolsUsed: ['weather'],
    })
    expect(result.usage).toMatchObject({ inputTokens: 22, outputTokens: 14, totalTokens: 36 })
    expect(weather).toEqual([{ city: 'Oslo' }])
    expect(server.asked).toHaveLength(2)
    const [first, second] = server.asked.map(({ body }) => JSON.stringify(body))
    expect(first).toContain('Tells the weather of a city.')
    expect(first).toContain('Use the tool.')
    expect(second).toMatch(/degrees[\\":]+21/)
  })

  test('is given a model of the AI SDK as it is, and streams a structured answer', async () => {
    const text = '{"city":"Oslo","degrees":21}'
    await using server = await loopback(events(speak(wire, { text })))
    const output = z.object({ city: z.string(), degrees: z.number() })
    const run = new Agent({ model: wires[wire].model(server.url), output }).run('How warm is Oslo?')
    const partials: unknown[] = []
    for await (const partial of run.partialOutputStream) partials.push(partial)
    expect(partials.at(-1)).toEqual({ city: 'Oslo', degrees: 21 })
    expect((await run).result?.degrees.toFixed(1)).toBe('21.0')
  })

  test('goes on after a refusal, a disconnect and a damaged stream, and the failed attempts leave no text behind', async () => {
    const half = speakCut(wire, { text: 'It is cold and' })
    const { result, server, shown } = await runAgent(wire, {
      limits: { attempts: 4 },
      answers: [
        json({ error: { message: 'Slow down', type: 'x', code: 429, status: 'X' } }, 429, { 'retry-after-ms': '5' }),
        (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream', 'retry-after-ms': '5' }).write(half)
          setImmediate(() => response.destroy())
        },
        events(half),
        events(speak(wire, answer)),
      ],
    })
    expect(result).toMatchObject({ status: 'completed', text: answer.text })
    expect(shown).toBe(answer.text)
    expect(server.asked).toHaveLength(4)
  })
})

test('a key that is refused ends the run at once, with the words of the provider', async () => {
  const body = {
    error: {
      message: 'Incorrect API key provided',
      type: 'invalid_request_error',
      code: 'invalid_api_key',
      param: null,
    },
  }
  const { result, server } = await runAgent('responses', { answers: [json(body, 401)] })
  expect(result).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED' } })
  expect(result.error!.message).toContain('Incorrect API key provided')
  expect(server.asked).toHaveLength(1)
})

test('a server that never goes on runs into the time limit and is let go', async () => {
  const silent: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(speakCut('chat', { text: 'Well' }))
  }
  const { result, server } = await runAgent('chat', { answers: [silent], limits: { modelTimeoutMs: 60, attempts: 1 } })
  expect(result).toMatchObject({ status: 'failed', error: { code: 'MODEL_TIMEOUT' } })
  expect(server.asked).toHaveLength(1)
})

test('arguments that are not JSON go back to the model, and nothing is run', async () => {
  const broken = { calls: [{ id: 'call_1', name: 'weather', input: '{"city":' }] }
  const { result, server, weather } = await runAgent('chat', {
    answers: [events(speak('chat', broken)), events(speak('chat', answer))],
  })
  expect(result.status).toBe('completed')
  expect(weather).toEqual([])
  expect(JSON.stringify(server.asked[1]!.body)).toContain('not valid JSON')
})

const search = readRecordings().find(({ name }) => name === 'anthropic/anthropic-web-search-tool.1.chunks.txt')

test.skipIf(search === undefined)(
  'what the provider ran itself is in the transcript and was not run here',
  async () => {
    const { result, weather } = await runAgent('anthropic', { answers: [search!.answer] })
    expect(result.status).toBe('completed')
    expect(result.actions).toEqual([])
    expect(weather).toEqual([])
    const calls = result.messages
      .findLast(({ role }) => role === 'assistant')!
      .content.filter((part) => part.type === 'tool-call')
    expect(calls).toMatchObject([{ name: 'web_search', providerExecuted: true }])
  },
)

test.skipIf(search === undefined)('another provider can take over after one that ran tools on its side', async () => {
  await using first = await loopback(search!.answer)
  await using second = await loopback(events(speak('responses', answer)))
  const reply = await ask(fromAiSdk(wires.anthropic.model(first.url)), [userMessage('Search.')])
  await ask(fromAiSdk(wires.responses.model(second.url)), goOn(reply))
  const sent = JSON.stringify(second.asked[0]!.body)
  expect(sent).toContain(textOf(reply.message).slice(0, 40))
  expect(sent).not.toContain('srvtoolu_')
  expect(sent).not.toContain('item_reference')
})

test('a model that is named by its id works in an agent like any other', async () => {
  await using server = await loopback(events(speak('responses', answer)))
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: server.url }
  const model = modelById('openai/gpt-5', { load: (name) => import(name), env })
  const agent = new Agent({ id: 'named', model, budget: { money: 1 } })
  const result = await agent.run('How warm is Oslo?')
  expect(result).toMatchObject({ status: 'completed', text: answer.text })
  expect(result.cost).toBeCloseTo((11 * 1.25 + 7 * 10) / 1_000_000, 10)
})
