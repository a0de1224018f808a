import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent, type AgentConfig, type AgentResult, defineTool } from 'mandate'
import { fromAiSdk, scripted, userMessage } from 'mandate/model'
import type { Model } from 'mandate/model'
import { assistantMessage } from '../../src/model/index.ts'
import { codeMode, contextOf, contextTools } from 'mandate/repl'
import { askUser } from 'mandate/tool'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Answer, type Asked, events, loopback } from '../ai-sdk/loopback.ts'
import { type Speech, speak } from '../ai-sdk/speech.ts'
import { type WireName, wires } from '../ai-sdk/wires.ts'
import { type Interface, type WireFacts, offered, refusals } from './wire-rules.ts'

interface Provider {
  readonly wire: WireName
  readonly api: Interface
  readonly facts?: WireFacts
  readonly model?: (url: string) => Parameters<typeof fromAiSdk>[0]
}

const local = (url: string) =>
  createOpenAICompatible({ name: 'ollama', baseURL: url, includeUsage: true, supportsStructuredOutputs: true })('qwen3')

const PROVIDERS: Readonly<Record<string, Provider>> = {
  'OpenAI chat': { wire: 'chat', api: 'chat' },
  'OpenAI responses': { wire: 'responses', api: 'responses' },
  Anthropic: { wire: 'anthropic', api: 'anthropic' },
  Google: { wire: 'google', api: 'google' },
  DeepSeek: { wire: 'deepseek', api: 'chat' },
  'a server that enforces schemas': {
    wire: 'compatible',
    api: 'chat',
    facts: { isTemplate: true, enforces: true },
    model: local,
  },
  'a server that enforces nothing': { wire: 'compatible', api: 'chat', facts: { isTemplate: true } },
}

const event = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('mail'), to: z.string() }),
  z.object({ kind: z.literal('call'), number: z.string() }),
])
const notify = defineTool({
  name: 'team.notify',
  description: 'Tells the team.',
  inputSchema: event,
  risk: 'read',
  run: (input) => input,
})
const look = defineTool({
  name: 'look.up',
  description: 'Looks up.',
  inputSchema: z.object({ id: z.string().optional() }),
  risk: 'read',
  run: () => ({ found: 1 }),
})
const long = defineTool({
  name: `mcp.${'a'.repeat(60)}`,
  description: 'Long.',
  inputSchema: z.object({}),
  risk: 'read',
  run: () => 'done',
})
const json = defineTool({
  name: 'json',
  description: 'Reads JSON.',
  inputSchema: z.object({}),
  risk: 'read',
  run: () => 'done',
})
const tools = [notify, look, long, json]
const allow = ['*']

interface Feature {
  readonly config: Omit<Partial<AgentConfig>, 'output'> & { readonly output?: object }
  /** What the model says; a call is named as the request offered it. */
  readonly replies: readonly ((names: readonly string[]) => Speech)[]
  readonly prompt?: string
  readonly run?: (agent: Agent) => Promise<AgentResult>
  readonly expected?: (result: AgentResult, bodies: readonly unknown[]) => void
}

const call =
  (start: string, input: object): ((names: readonly string[]) => Speech) =>
  (names) => ({
    calls: [
      {
        id: `call_${start}`,
        name: names.find((name) => name.replaceAll('.', '__').startsWith(start)) ?? start,
        input: JSON.stringify(input),
      },
    ],
  })
const say = (text: string) => (): Speech => ({ text })
const answerOf = (output: object, text: string): Feature => ({
  config: { output },
  replies: [say(text)],
  expected: (result, [body]) => {
    expect(result).toMatchObject({ status: 'completed', result: JSON.parse(text) })
    // Enforced or told: every model has seen the names of the members.
    for (const name of Object.keys(JSON.parse(text) as object)) expect(JSON.stringify(body)).toContain(name)
  },
})

const FEATURES: Readonly<Record<string, Feature>> = {
  'tools with names and schemas of every kind': {
    config: { tools },
    replies: [
      call('team', { kind: 'mail', to: 'ana' }),
      call('look', {}),
      call('mcp__a', {}),
      call('json', {}),
      say('Done.'),
    ],
    expected: (result) => {
      expect(result).toMatchObject({ status: 'completed', text: 'Done.' })
      expect(result.actions.map(({ toolId }) => toolId)).toEqual(['team.notify', 'look.up', long.name, 'json'])
    },
  },
  'tools of contexts': {
    config: { tools: contextTools(contextOf('one line\nanother line')) },
    replies: [call('context__search', { pattern: 'another' }), say('Line 2.')],
    expected: (result) =>
      expect(result.actions.map(({ toolId, ok }) => `${toolId} ${ok}`)).toEqual(['context.search true']),
  },
  ask_user: {
    config: { tools: [askUser()] },
    replies: [call('ask_user', { question: 'Which?' }), say('Thanks.')],
    expected: (result) => expect(result.status).toBe('await_user'),
  },
  'an answer with fixed members': answerOf(
    z.object({ country: z.string(), count: z.number() }),
    '{"country":"SE","count":4}',
  ),
  'an answer with an optional member': answerOf(
    z.object({ country: z.string(), note: z.string().optional() }),
    '{"country":"SE"}',
  ),
  'an answer with a record': answerOf(z.object({ counts: z.record(z.string(), z.number()) }), '{"counts":{"SE":4}}'),
  'an answer that is one of two': answerOf(event, '{"kind":"mail","to":"ana"}'),
  'an answer with nested lists': answerOf(
    z.object({ rows: z.array(z.object({ id: z.number(), tags: z.array(z.string()).optional() })) }),
    '{"rows":[{"id":1}]}',
  ),
  'an answer after a wrong one': {
    config: { output: z.object({ count: z.number() }) },
    replies: [say('{"count":"four"}'), say('{"count":4}')],
    expected: (result, bodies) => {
      expect(result).toMatchObject({ status: 'completed', result: { count: 4 }, text: '{"count":4}' })
      expect(JSON.stringify(bodies[1])).toContain('corrected JSON alone')
    },
  },
  'code mode with an answer of a form': {
    config: { tools: [look], mode: codeMode(), output: z.object({ found: z.number() }) },
    replies: [say('```js\nconst { found } = await tools["look.up"]({})\nanswer({ found })\n```')],
    expected: (result, [body]) => {
      expect(result).toMatchObject({ status: 'completed', result: { found: 1 } })
      const text = JSON.stringify(body)
      expect(text).toContain('answer(value: { found: number })')
      expect(text).not.toMatch(/json_schema|json_object|responseMimeType|output_config/)
    },
  },
  'a conversation that goes on, with a window': {
    config: { tools: [look], history: { maxMessages: 3 } },
    replies: [call('look', {}), say('One.'), call('look', {}), say('Two.')],
    run: async (agent) => {
      const session = agent.createSession()
      await session.run('First?')
      return session.run('Second?')
    },
    expected: (result) => expect(result.text).toBe('Two.'),
  },
  'a message of a person while it works': {
    config: { tools: [look] },
    replies: [call('look', {}), say('Seen.')],
    run: async (agent) => {
      const run = agent.run('Look.')
      await agent.service.steer(run.id, 'In Swedish, please.').catch(() => undefined)
      return run
    },
  },
}

async function play(provider: Provider, feature: Feature): Promise<{ result: AgentResult; asked: readonly Asked[] }> {
  let turn = 0
  const answer: Answer = (response, asked) => {
    const reply = feature.replies[Math.min(turn++, feature.replies.length - 1)]!
    return events(speak(provider.wire, reply(offered(asked.body as never, provider.api))))(response, asked)
  }
  await using server = await loopback(answer)
  const model: Model = fromAiSdk((provider.model ?? wires[provider.wire].model)(server.url))
  const agent = new Agent({ id: 'a', model, instructions: 'Be brief.', mandate: { allow }, ...feature.config })
  const result = await (feature.run?.(agent) ?? agent.run(feature.prompt ?? 'Do it.'))
  await agent.stop()
  return { result, asked: [...server.asked] }
}

describe.each(Object.entries(PROVIDERS))('%s accepts every request of an agent with', (_name, provider) => {
  test.each(Object.entries(FEATURES))('%s', async (_feature, feature) => {
    const { result, asked } = await play(provider, feature)
    const bodies = asked.map(({ body }) => body)
    expect(bodies.length).toBeGreaterThan(0)
    for (const body of bodies) expect(refusals(body as never, provider.api, provider.facts)).toEqual([])
    feature.expected?.(result, bodies)
  })
})

test('thoughts of another provider stay out of a request, as do its call ids where they are too long', async () => {
  await using server = await loopback(events(speak('deepseek', { text: 'Yes.' })))
  const model = fromAiSdk(wires.deepseek.model(server.url))
  const thought = {
    type: 'reasoning',
    text: 'secret plan',
    providerMetadata: { anthropic: { signature: 's' } },
  } as const
  const agent = new Agent({ id: 'a', model })
  const said = assistantMessage([thought, { type: 'text', text: 'Hello.' }])
  await agent.run('And?', { history: [userMessage('Hi'), said] })
  expect(JSON.stringify(server.asked[0]!.body)).not.toContain('secret plan')
  await agent.stop()
})

test('a model that answers by the namespace of a tool calls the tool', async () => {
  const replies = [{ toolCalls: [{ name: 'look.up', input: {} }] }, 'Done.']
  const agent = new Agent({ id: 'a', model: scripted(replies), tools: [look], mandate: { allow } })
  expect((await agent.run('Look.')).text).toBe('Done.')
  await agent.stop()
})
