import { jsonSchema, tool as aiTool } from 'ai'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import type { Json, JsonObject } from '../../core/index.ts'
import { defineTool } from '../define-tool.ts'
import type { Tool } from '../tool.ts'
import type { ToolInput, ToolOutput, ToolTypesOf } from './tool-types.ts'

type Input<T> = ToolInput<T>
type Output<T> = ToolOutput<T>

describe('the input of a tool has the type of its schema', () => {
  test('zod, in `run` after defaults, outside before them', () => {
    const tool = defineTool({
      name: 'add',
      inputSchema: z.object({ a: z.number(), unit: z.string().default('m') }),
      needsApproval: ({ a, unit }) => (expectTypeOf(unit).toEqualTypeOf<string | undefined>(), a > 100),
      run: async ({ a, unit }) => {
        expectTypeOf(unit).toEqualTypeOf<string>()
        return { text: `${a.toFixed()} ${unit}` }
      },
    })
    expectTypeOf(tool).toEqualTypeOf<Tool<'add', { a: number; unit?: string | undefined }, { text: string }>>()
    expect(tool.name).toBe('add')
  })

  test('zod 3', () => {
    const tool = defineTool({ name: 't', inputSchema: z3.object({ a: z3.number() }), run: ({ a }) => a })
    expectTypeOf<Input<typeof tool>>().toEqualTypeOf<{ a: number }>()
    expect(tool.name).toBe('t')
  })

  test('valibot', () => {
    const tool = defineTool({ name: 't', inputSchema: v.object({ a: v.number() }), run: ({ a }) => [a] })
    expectTypeOf(tool).toEqualTypeOf<Tool<'t', { a: number }, number[]>>()
    expect(tool.name).toBe('t')
  })

  test('ArkType', () => {
    const tool = defineTool({
      name: 't',
      inputSchema: type({ a: 'number', 'b?': 'string' }),
      run: ({ a, b }) => b ?? a,
    })
    expectTypeOf(tool).toEqualTypeOf<Tool<'t', { a: number; b?: string }, string | number>>()
    expect(tool.name).toBe('t')
  })

  test('the AI SDK: `jsonSchema<T>()`', () => {
    const schema = jsonSchema<{ q: string }>({ type: 'object', properties: { q: { type: 'string' } } })
    const tool = defineTool({ name: 't', inputSchema: schema, run: ({ q }) => q.length })
    expectTypeOf(tool).toEqualTypeOf<Tool<'t', { q: string }, number>>()
    expect(tool.name).toBe('t')
  })

  test('JSON Schema, as a literal in its place or `as const` elsewhere', () => {
    const tool = defineTool({
      name: 't',
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'integer' },
          kind: { enum: ['x', 'y'] },
          tags: { type: 'array', items: { type: 'string' } },
          when: { type: ['string', 'null'] },
          inner: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
          either: { anyOf: [{ type: 'number' }, { const: 'all' }] },
          any: { type: 'object' },
        },
        required: ['a', 'kind'],
      },
      run: ({ a, kind }) => `${a} ${kind}`,
    })
    expectTypeOf<Input<typeof tool>>().toEqualTypeOf<{
      a: number
      kind: 'x' | 'y'
      tags?: string[]
      when?: string | null
      inner?: { ok: boolean }
      either?: number | 'all'
      any?: JsonObject
    }>()
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const
    const other = defineTool({ name: 't', inputSchema: schema, run: ({ a }) => a })
    expectTypeOf(other).toEqualTypeOf<Tool<'t', { a: string }, string>>()
    expect([tool.name, other.name]).toEqual(['t', 't'])
  })

  test('a schema that says nothing leaves the type to `run`', () => {
    const wide = { type: 'object', properties: { a: { type: 'string' } } }
    const tool = defineTool({ name: 't', inputSchema: wide, run: ({ a }: { a: string }) => a })
    expectTypeOf<Output<typeof tool>>().toEqualTypeOf<string>()
    expect(tool.name).toBe('t')
  })
})

describe('the output of a tool has a type', () => {
  test('of what `run` gives in the end, or of its output schema', () => {
    const stream = defineTool({
      name: 't',
      async *run() {
        yield 1
      },
    })
    expectTypeOf<Output<typeof stream>>().toEqualTypeOf<number>()
    const checked = defineTool({ name: 't', outputSchema: { type: 'string' }, run: (): unknown => 'x' })
    expectTypeOf<Output<typeof checked>>().toEqualTypeOf<string>()
    expect([stream.name, checked.name]).toEqual(['t', 't'])
  })
})

describe('tools of other frameworks', () => {
  const schema = z.object({ a: z.number() })

  test('the AI SDK', () => {
    const given = aiTool({ description: 'Adds.', inputSchema: schema, execute: async ({ a }) => ({ sum: a }) })
    const tool = defineTool(given, { name: 'adder' })
    expectTypeOf(tool).toEqualTypeOf<Tool<'adder', { a: number }, { sum: number }>>()
    expect(tool.name).toBe('adder')
  })

  test('Mastra, whose `execute` may be missing', () => {
    class MastraTool {
      readonly id = 'adder'
      readonly description: string = 'Adds.'
      readonly inputSchema?: typeof schema = schema
      readonly requireApproval?: boolean
      readonly execute?: (input: { a: number }, context: object) => Promise<number> = async ({ a }) => a
    }
    const tool = defineTool(new MastraTool())
    expectTypeOf(tool).toEqualTypeOf<Tool<'adder', { a: number }, number>>()
    expect(tool.name).toBe('adder')
  })

  test('LangChain', () => {
    class LangChainTool {
      readonly name = 'adder'
      readonly description = 'Adds.'
      readonly schema = schema
      readonly metadata?: Record<string, unknown>
      async invoke(input: { a: number }, _config?: object): Promise<number> {
        return input.a
      }
    }
    const tool = defineTool(new LangChainTool())
    expectTypeOf(tool).toEqualTypeOf<Tool<'adder', { a: number }, number>>()
    expect(tool.name).toBe('adder')
  })

  test('an agent knows them by their names, in lists and in records', () => {
    const add = defineTool({ name: 'add', inputSchema: schema, run: ({ a }) => a })
    const list = [add, { id: 'ping', run: () => 'pong' }] as const
    expectTypeOf<ToolTypesOf<typeof list>>().toEqualTypeOf<{
      readonly add: { readonly input: { a: number }; readonly output: number }
      readonly ping: { readonly input: unknown; readonly output: string }
    }>()
    const record = { sum: aiTool({ inputSchema: schema, execute: ({ a }) => a }) }
    expectTypeOf<ToolTypesOf<typeof record>>().toEqualTypeOf<{
      readonly sum: { readonly input: { a: number }; readonly output: number }
    }>()
    expect([list.length, Object.keys(record)]).toEqual([2, ['sum']])
  })
})

test('a wrong definition is one error, at the field', () => {
  const wrong = (): unknown[] => [
    defineTool({
      name: 'x',
      // @ts-expect-error: `risk`, misspelt.
      rsik: 'read',
      run: () => 1,
    }),
    defineTool({
      name: 'x',
      // @ts-expect-error: not a risk.
      risk: 'reed',
      run: () => 1,
    }),
    defineTool({
      name: 'x',
      inputSchema: z.object({ a: z.number() }),
      // @ts-expect-error: the schema says a number.
      run: ({ a }: { a: string }) => a,
    }),
    defineTool({
      name: 'x',
      // @ts-expect-error: the schema has no `b`.
      needsApproval: ({ b }) => b,
      inputSchema: z.object({ a: z.number() }),
      run: () => 1,
    }),
    // @ts-expect-error: `run` is missing.
    defineTool({ name: 'x' }),
  ]
  expect(wrong).toThrow(/rsik/)
})

test('JSON that no schema was given for is what `run` says it is', async () => {
  const tool = defineTool({ name: 't', run: (input: { n: number }) => input.n })
  expect(await tool.run({ n: 1 } satisfies Json, {} as never)).toBe(1)
})
