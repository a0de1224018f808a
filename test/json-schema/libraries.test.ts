import { type } from 'arktype'
import type { Json } from 'mandate'
import { specOf, toolFrom } from '../../src/tool/index.ts'
import type { Tool, ToolContext } from 'mandate/tool'
import { testAgent } from 'mandate/testing'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { z } from 'zod'

const given: unknown[] = []
const tool = (inputSchema: unknown): Tool =>
  toolFrom({ name: 'book', risk: 'read', inputSchema, run: (input: unknown) => void given.push(input) })

/** What validation makes of an input, and what the tool is then given. */
async function pass(checked: Tool, input: Json): Promise<{ recorded: Json | undefined; run: unknown }> {
  const result = await checked.validate(input)
  if (!result.valid) return { recorded: undefined, run: result.issues }
  await checked.run(result.value, { signal: new AbortController().signal } as ToolContext)
  return { recorded: result.value, run: given.pop() }
}

const coercing: Readonly<Record<string, unknown>> = {
  zod: z.object({ days: z.coerce.number().default(2), city: z.string().trim().toLowerCase() }),
  valibot: v.object({
    days: v.optional(v.pipe(v.union([v.string(), v.number()]), v.transform(Number)), 2),
    city: v.pipe(v.string(), v.trim(), v.toLowerCase()),
  }),
  arktype: type({ days: type('number | string.numeric.parse').default(2), city: 'string.trim |> string.lower' }),
}

test.each(Object.keys(coercing))('%s: what was coerced is what is recorded and what the tool gets', async (name) => {
  const checked = tool(coercing[name])
  const expected = { days: 3, city: 'oslo' }
  expect(await pass(checked, { days: '3', city: ' Oslo ' })).toEqual({ recorded: expected, run: expected })
  expect(await pass(checked, { city: 'Oslo' })).toEqual({
    recorded: { days: 2, city: 'oslo' },
    run: { days: 2, city: 'oslo' },
  })
})

const transforming: Readonly<Record<string, unknown>> = {
  zod: z.object({ when: z.string().transform((text) => new Date(text)) }),
  valibot: v.object({
    when: v.pipe(
      v.string(),
      v.transform((text) => new Date(text)),
    ),
  }),
  arktype: type({ when: 'string.date.iso.parse' }),
}

test.each(Object.keys(transforming))(
  '%s: what JSON cannot say reaches the tool, and its text is recorded',
  async (name) => {
    const input = { when: '2026-01-02T00:00:00.000Z' }
    expect(await pass(tool(transforming[name]), input)).toEqual({
      recorded: input,
      run: { when: new Date('2026-01-02') },
    })
  },
)

const asynchronous: Readonly<Record<string, unknown>> = {
  zod: z.object({ code: z.string().refine(async (code) => code === 'x', 'this code has expired') }),
  valibot: v.objectAsync({
    code: v.pipeAsync(
      v.string(),
      v.checkAsync(async (code) => code === 'x', 'this code has expired'),
    ),
  }),
}

test.each(Object.keys(asynchronous))('%s: checks that take time are waited for', async (name) => {
  const checked = tool(asynchronous[name])
  expect(await pass(checked, { code: 'x' })).toEqual({ recorded: { code: 'x' }, run: { code: 'x' } })
  expect(await pass(checked, { code: 'y' })).toEqual({
    recorded: undefined,
    run: [{ path: 'code', message: 'this code has expired' }],
  })
})

test('models are told the JSON Schema of what is accepted', () => {
  const told = specOf(
    tool(z.object({ city: z.string().min(2).describe('Where to'), days: z.int().default(2) })),
  ).inputSchema
  expect(told).toMatchObject({
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 2, description: 'Where to' },
      days: { type: 'integer', default: 2 },
    },
    required: ['city'],
  })
  expect(specOf(tool(type({ city: 'string >= 2', 'days?': 'number' }))).inputSchema).toMatchObject({
    type: 'object',
    properties: { city: { type: 'string', minLength: 2 }, days: { type: 'number' } },
    required: ['city'],
  })
  const entries = { city: v.pipe(v.string(), v.minLength(2)), days: v.optional(v.number()) }
  expect(specOf(tool(v.object(entries))).inputSchema).toMatchObject({
    type: 'object',
    properties: { city: { type: 'string', minLength: 2 }, days: { type: 'number' } },
    required: ['city'],
  })
})

test.each(['JSON Schema', 'zod', 'valibot', 'arktype'])(
  '%s: a model that is told what is wrong can correct itself',
  async (name) => {
    const schemas: Readonly<Record<string, unknown>> = {
      'JSON Schema': { type: 'object', properties: { days: { type: 'integer' } }, required: ['days'] },
      zod: z.object({ days: z.int() }),
      valibot: v.object({ days: v.pipe(v.number(), v.integer()) }),
      arktype: type({ days: 'number.integer' }),
    }
    const bench = testAgent(
      { tools: [tool(schemas[name])] },
      {
        script: [
          { toolCalls: [{ name: 'book', input: { days: 'three' } }] },
          ({ messages }) => {
            // The model reads what was wrong, by path, and gives a number.
            const told = JSON.stringify(messages.at(-1)?.content)
            return told.includes('days') && /integer|number/.test(told)
              ? { toolCalls: [{ name: 'book', input: { days: 3 } }] }
              : 'I give up.'
          },
          'Booked.',
        ],
      },
    )
    expect(await bench.run('Book three days.')).toMatchObject({ lastText: 'Booked.' })
    await bench.expectActions(['book'])
    expect(given.pop()).toEqual({ days: 3 })
  },
)

test('a check that throws denies the call and shows the model no stack', async () => {
  const broken = tool(
    z.object({
      days: z.number().refine(() => {
        throw new Error('the database is away')
      }),
    }),
  )
  const bench = testAgent(
    { tools: [broken] },
    { script: [{ toolCalls: [{ name: 'book', input: { days: 1 } }] }, 'It did not work.'] },
  )
  await bench.run('Book.')
  await bench.expectActions([])
  const told = JSON.stringify(bench.model?.requests.at(-1)?.messages.at(-1))
  expect(told).toContain('denied')
  expect(told).not.toMatch(/\\n\s+at |\.ts:\d+/)
})
