import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import type { Json } from '../core/index.ts'
import type { MandateEvent } from '../journal/index.ts'
import { scripted } from '../model/index.ts'
import type { Mandate } from '../gate/index.ts'
import { defineTool } from '../tool/index.ts'
import { Agent } from './agent.ts'
import type { AgentRun } from './session/agent-run.ts'

const answer = (): ReturnType<typeof scripted> => scripted(['{"city":"Oslo"}'])
const refund = defineTool({
  name: 'refund',
  risk: 'write',
  needsApproval: true,
  inputSchema: z.object({ order: z.string(), amount: z.number(), note: z.string().optional() }),
  run: async ({ amount }) => ({ paid: amount }),
})
const look = defineTool({
  name: 'look',
  risk: 'read',
  inputSchema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  run: ({ order }) => `order ${order}`,
})

describe('the result has the type of the `output` schema', () => {
  type City = { city: string } | null

  test('zod', async () => {
    const { result } = await new Agent({ model: answer(), output: z.object({ city: z.string() }) }).run('Where?')
    expectTypeOf(result).toEqualTypeOf<City>()
    expect(result?.city.toUpperCase()).toBe('OSLO')
  })

  test('zod 3, valibot, ArkType', () => {
    const three = new Agent({ model: answer(), output: z3.object({ city: z3.string() }) })
    const valibot = new Agent({ model: answer(), output: v.object({ city: v.string() }) })
    const ark = new Agent({ model: answer(), output: type({ city: 'string' }) })
    expectTypeOf<Awaited<ReturnType<typeof three.run>>['result']>().toEqualTypeOf<City>()
    expectTypeOf<Awaited<ReturnType<typeof valibot.run>>['result']>().toEqualTypeOf<City>()
    expectTypeOf<Awaited<ReturnType<typeof ark.run>>['result']>().toEqualTypeOf<City>()
    expect([three.id, valibot.id, ark.id]).toEqual(['agent', 'agent', 'agent'])
  })

  test('JSON Schema', async () => {
    const agent = new Agent({
      model: answer(),
      output: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    })
    const { result } = await agent.run('Where?')
    expectTypeOf(result).toEqualTypeOf<City>()
    const again = await agent.createSession().run('Where?', { signal: AbortSignal.abort() })
    expectTypeOf(again.result).toEqualTypeOf<City>()
    expect(result?.city).toBe('Oslo')
  })

  test('without a schema it is JSON', async () => {
    const { result } = await new Agent({ model: scripted(['Hi.']) }).run('Hi')
    expectTypeOf(result).toEqualTypeOf<Json | null>()
    expect(result).toBe('Hi.')
  })
})

describe('tools type what is told of their calls', () => {
  const calls = [{ toolCalls: [{ name: 'look', input: { order: '7' } }] }, 'Done.']
  const pays = [{ toolCalls: [{ name: 'refund', input: { order: '7', amount: 5 } }] }, 'Done.']

  test('events of the run handle', async () => {
    const run = new Agent({ model: scripted(calls), tools: [refund, look] }).run('Look.')
    const seen: string[] = []
    for await (const { type: name, data } of run) {
      if (name !== 'effect-start' || data.kind !== 'tool') continue
      expectTypeOf(data.name).toEqualTypeOf<'refund' | 'look'>()
      if (data.name === 'look') {
        expectTypeOf(data.input).toEqualTypeOf<{ order: string }>()
        seen.push(data.input.order)
      } else expectTypeOf(data.input.amount).toEqualTypeOf<number>()
      // @ts-expect-error: there is no tool of this name.
      if (data.name === 'lock') seen.push('never')
    }
    expect(seen).toEqual(['7'])
  })

  test('listeners of the agent', async () => {
    const agent = new Agent({ model: scripted(calls), tools: { look } })
    const seen: string[] = []
    agent.on('tool', ({ type: name, data }) => {
      if (name === 'effect-start' && data.kind === 'tool') seen.push(data.input.order)
    })
    await agent.run('Look.')
    expect(seen).toEqual(['7'])
  })

  test('what waits for an answer', async () => {
    const { pending } = await new Agent({ model: scripted(pays), tools: [refund, look] }).run('Pay.')
    const amounts = pending.map((call) => {
      if (call.kind !== 'tool' || call.name !== 'refund') return undefined
      expectTypeOf(call.input).toEqualTypeOf<{ order: string; amount: number; note?: string | undefined }>()
      return call.input.amount
    })
    expect(amounts).toEqual([5])
  })

  test('tools that are not known by name leave the events as they are', async () => {
    const tools: readonly (typeof look | { name: string; run: () => string })[] = [look]
    const run = new Agent({ model: scripted(calls), tools }).run('Look.')
    for await (const event of run) expectTypeOf(event).toEqualTypeOf<MandateEvent>()
    expect((await run).status).toBe('completed')
  })
})

test('an agent of any types is an `Agent`, and its runs are an `AgentRun`', async () => {
  const agents: Agent[] = [
    new Agent({ model: answer(), output: z.object({ city: z.string(), zip: z.number().optional() }), tools: [refund] }),
    new Agent({ model: answer(), tools: { look } }),
    new Agent({ model: answer() }),
  ]
  const runs: AgentRun[] = agents.map((agent) => agent.run('Where?'))
  expect((await Promise.all(runs)).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
})

test('a wrong configuration is one error, at the field', () => {
  const model = answer()
  const wrong = (): unknown[] => [
    new Agent({
      model,
      // @ts-expect-error: `maxTurns`, misspelt.
      maxTurn: 3,
    }),
    new Agent({
      model,
      // @ts-expect-error: a schema is an object.
      output: 'text',
    }),
    new Agent({
      model,
      // @ts-expect-error: tools are not given by their names.
      tools: ['look'],
    }),
    new Agent({
      model,
      // @ts-expect-error: a function is no tool.
      tools: [(): string => 'pong'],
    }),
    new Agent({
      model,
      tools: [
        {
          name: 'ping',
          // @ts-expect-error: not a risk.
          risk: 'reed',
          run: () => 'pong',
        },
      ],
    }),
    // @ts-expect-error: no tool has such a field.
    new Agent({ model, tools: [{ pong: 1 }] }),
    new Agent({
      model,
      tools: [
        look,
        {
          name: 'ping',
          // @ts-expect-error: `risk`, misspelt.
          rsik: 'read',
          inputSchema: z.object({ a: z.number() }),
          run: ({ a }: { a: number }) => a,
        },
      ],
    }),
    new Agent({
      model,
      tools: {
        ping: {
          description: 'Pings.',
          // @ts-expect-error: `idempotent`, misspelt.
          idempotnet: true,
          run: () => 'pong',
        },
      },
    }),
  ]
  expect(wrong).toThrow(/maxTurn/)
})

test('tools of every shape are taken as they are, with fields of their own where they have some', async () => {
  class Counter {
    readonly name = 'count'
    calls = 0
    run(): number {
      return ++this.calls
    }
  }
  const shared = { name: 'shared', note: 'of the host', execute: () => 1 }
  const agent = new Agent({
    model: answer(),
    tools: [
      new Counter(),
      shared,
      refund,
      { id: 'ping', schema: { type: 'object' }, run: () => 'pong' },
      { definition: { name: 'told', parameters: { type: 'object' } }, handler: () => 1, risk: 'read' },
      { name: 'foreign', description: 'Has a field of its framework.', strict: true, execute: () => 1 },
    ],
  })
  expect(agent.spec.tools.map(({ name }) => name)).toEqual(['count', 'shared', 'refund', 'ping', 'told', 'foreign'])
})

describe('what a mandate names', () => {
  const model = answer()

  test('is one of the tools beside it, a pattern, a target of another kind, or a text that only the run knows', () => {
    const some: string = 'look'
    const list: readonly string[] = [some]
    const mandate: Mandate = { allow: ['look'] }
    const agents = [
      new Agent({ model, tools: [look, refund], mandate: { allow: ['look', 'refund'], deny: ['re*', 'agent:other'] } }),
      new Agent({ model, tools: { look }, mandate: { allow: [some], deny: list, grant: [...list, 'look'] } }),
      new Agent({ model, tools: [{ name: 'ping', run: () => 'pong' }], mandate: { allow: ['ping'] } }),
      new Agent({ model, tools: [look], mandate }),
    ]
    expect(agents).toHaveLength(4)
    const others = (): unknown[] => [
      new Agent({ model, mandate: { allow: ['of the host'] } }),
      new Agent({
        model,
        tools: [look] as readonly (typeof look | { name: string })[],
        mandate: { allow: ['unknown'] },
      }),
      new Agent({ model, tools: [look], agents: ['other'], graphs: ['g', 'h'], mandate: { allow: ['of the other'] } }),
      new Agent({ model, tools: [look], toolPacks: list, mandate: { allow: ['of the pack'] } }),
    ]
    expect(others).toBeTypeOf('function')
  })

  test('is an error at the name, if no tool has it', () => {
    const wrong = (): unknown[] => [
      // @ts-expect-error: `look`, misspelt.
      new Agent({ model, tools: [look, refund], mandate: { allow: ['lok'] } }),
      // @ts-expect-error: `refund`, misspelt, would not be denied.
      new Agent({ model, tools: [look, refund], mandate: { deny: ['look', 'refnd'] } }),
      // @ts-expect-error: a record has the names as its keys.
      new Agent({ model, tools: { see: look }, mandate: { grant: ['look'] } }),
      // @ts-expect-error: `allow`, misspelt.
      new Agent({ model, tools: [look], mandate: { allw: ['look'] } }),
    ]
    expect(() => wrong()).toThrow('lok')
  })
})
