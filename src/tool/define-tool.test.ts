import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { type Json, MandateError } from '../core/index.ts'
import { defineTool, isTool, specOf, toolFrom, toolsFrom } from './define-tool.ts'
import { toolContext } from '../../test/tools/tool-context.fixture.ts'

const citySchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = ({ city }: { city: string }): string => `sun in ${city}`

/** The same tool in every shape that is accepted. */
const shapes: Record<string, unknown> = {
  canonical: { name: 'weather', description: 'Tells the weather.', inputSchema: citySchema, run: weather },
  'id, schema, run': { id: 'weather', description: 'Tells the weather.', schema: citySchema, run: weather },
  'definition, handler': {
    definition: { name: 'weather', description: 'Tells the weather.', parameters: citySchema },
    handler: weather,
  },
  connector: {
    metadata: { id: 'weather', description: 'Tells the weather.', safeByDefault: true },
    schema: citySchema,
    run: async (input: { city: string }) => ({ ok: true, output: weather(input) }),
  },
  'class instance': new (class {
    readonly name = 'weather'
    readonly description = 'Tells the weather.'
    readonly inputSchema = citySchema
    readonly #sky = 'sun'
    run({ city }: { city: string }): string {
      return `${this.#sky} in ${city}`
    }
  })(),
}

test.each(Object.keys(shapes))('a tool given as %s behaves like every other', async (shape) => {
  const tool = toolFrom(shapes[shape])
  expect(specOf(tool)).toEqual({ name: 'weather', description: 'Tells the weather.', inputSchema: citySchema })
  expect(await tool.validate({ city: 'Oslo' })).toEqual({ valid: true, value: { city: 'Oslo' } })
  expect(await tool.validate({})).toMatchObject({ valid: false, issues: [{ path: 'city' }] })
  expect(await tool.run({ city: 'Oslo' }, toolContext())).toBe('sun in Oslo')
  expect(Object.isFrozen(tool)).toBe(true)
})

test("an AI SDK record gives its keys as names and its tools' execute gets what it expects", async () => {
  const signal = new AbortController().signal
  const seen: Record<string, unknown>[] = []
  const [tool] = toolsFrom({
    weather: {
      description: 'Tells the weather.',
      inputSchema: z.object({ city: z.string() }),
      execute: async (input: { city: string }, options: Record<string, unknown>) => {
        seen.push(options)
        return weather(input)
      },
    },
  })
  expect(tool!.name).toBe('weather')
  expect(tool!.inputSchema).toMatchObject(citySchema)
  const ctx = toolContext({ signal, toolCallId: 'call_1', conversation: ['m'], metadata: { user: 7 } })
  expect(await tool!.run({ city: 'Rome' }, ctx)).toBe('sun in Rome')
  expect(seen[0]).toMatchObject({
    toolCallId: 'call_1',
    messages: ['m'],
    abortSignal: signal,
    experimental_context: { user: 7 },
  })
})

test('the handler context carries conversation, agent, request id and metadata', async () => {
  const tool = defineTool({
    definition: { name: 't' },
    handler: (_args: unknown, ctx: Record<string, unknown>) => [
      ctx['conversation'],
      ctx['agent'],
      ctx['requestId'],
      ctx['metadata'],
    ],
  })
  const ctx = toolContext({ conversation: [1], agent: { id: 'a' }, requestId: 'r', metadata: { k: 1 } })
  expect(await tool.run({}, ctx)).toEqual([[1], { id: 'a' }, 'r', { k: 1 }])
})

test('a connector that is not ok fails with its output, and its meta goes to listeners', async () => {
  const connector = defineTool({
    metadata: { id: 'db', description: 'd', safeByDefault: false },
    run: async () => ({ ok: false, output: 'table missing', meta: { ms: 3 } }),
  })
  expect(connector.safeByDefault).toBe(false)
  const ctx = toolContext()
  await expect(connector.run({}, ctx)).rejects.toMatchObject({
    code: 'CONNECTOR_FAILED',
    message: 'table missing',
    info: { output: 'table missing', meta: { ms: 3 } },
  })
  expect(ctx.emitted).toEqual([{ name: 'tool-meta', data: { ms: 3 } }])
  const lax = defineTool({ metadata: { id: 'x' }, run: async () => 'plain' })
  await expect(lax.run({}, toolContext())).rejects.toThrow(/returned no \{ ok, output \}/)
  const silent = defineTool({ metadata: { id: 'x' }, run: async () => ({ ok: false, output: { code: 5 } }) })
  await expect(silent.run({}, toolContext())).rejects.toThrow('{"code":5}')
})

test('{ ok: false } is data for a tool that is no connector', async () => {
  const tool = defineTool({ name: 't', run: () => ({ ok: false }) })
  expect(await tool.run({}, toolContext())).toEqual({ ok: false })
})

test('text that begins with Error is a failure only of tools marked so', async () => {
  const definition = { name: 'read_file', inputSchema: { type: 'object' }, run: () => 'Error: no such file' }
  await expect(defineTool(definition, { errorText: true }).run({}, toolContext())).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    message: 'Error: no such file',
  })
  expect(await defineTool(definition).run({}, toolContext())).toBe('Error: no such file')
  const story = defineTool({ name: 't', run: () => 'Errors are human' }, { errorText: true })
  expect(await story.run({}, toolContext())).toBe('Errors are human')
})

test('a tool without a schema accepts any object, nothing else, and says that it is unvalidated', async () => {
  const tool = defineTool({ name: 't', run: (input: unknown) => input })
  expect(tool.unvalidated).toBe(true)
  expect(await tool.validate({ anything: [1] })).toEqual({ valid: true, value: { anything: [1] } })
  for (const input of ['text', null, [1], 7] as Json[])
    expect(await tool.validate(input)).toMatchObject({ valid: false })
})

test('names for one thing may repeat each other, not contradict', () => {
  const run = (): number => 1
  expect(
    defineTool({ name: 'a', id: 'a', inputSchema: citySchema, parameters: structuredClone(citySchema), run }).name,
  ).toBe('a')
  const bad: [object, RegExp][] = [
    [{ name: 'a', id: 'b', run }, /Tool "a": `name` is also given as "b"/],
    [
      { name: 'a', inputSchema: citySchema, parameters: { type: 'object' }, run },
      /Tool "a": `inputSchema` is given under two names/,
    ],
    [{ name: 'a', run, execute: () => 2 }, /Tool "a": `run` is given under two names/],
  ]
  for (const [definition, message] of bad) expect(() => toolFrom(definition)).toThrow(message)
  expect(() => toolsFrom({ b: { name: 'a', run } })).toThrow(/is also given as "a"/)
})

test('a wrong definition is refused with the tool and the field', () => {
  const run = (): number => 1
  const bad: [unknown, RegExp][] = [
    [null, /must be an object/],
    [run, /must be an object/],
    [{ run }, /has no name/],
    [{ name: 'a b', run }, /Tool "a b": `name` is not usable/],
    [{ name: 'x'.repeat(65), run }, /`name` is not usable/],
    [{ name: 5, run }, /Tool 5: `name`/],
    [{ name: 'a' }, /Tool "a": `run` is missing/],
    [{ name: 'a', run: 'rm' }, /Tool "a": `run` must be a function/],
    [{ name: 'a', run, description: 5 }, /Tool "a": `description`/],
    [{ name: 'a', run, risk: 'high' }, /Tool "a": `risk` is "high". Give one of: read, write, exec, destructive/],
    [{ name: 'a', run, idempotent: 'yes' }, /Tool "a": `idempotent` is "yes"/],
    [{ name: 'a', run, timeoutMs: -1 }, /`timeoutMs` is -1/],
    [{ name: 'a', run, maxResultBytes: '1kb' }, /`maxResultBytes`/],
    [{ name: 'a', run, labels: 'web' }, /`labels`/],
    [{ name: 'a', run, retry: { attempts: 0, backoffMs: 1 } }, /`retry` is \{"attempts":0/],
    [{ name: 'a', run, fatal: 'always' }, /`fatal`/],
    [{ name: 'a', run, reconcile: {} }, /`reconcile`/],
    [{ name: 'a', run, needsApproval: 1 }, /`needsApproval`/],
    [{ name: 'a', run, validate: true }, /`validate`/],
    [{ name: 'a', run, inputSchema: 'object' }, /Tool "a": `inputSchema` is "object"/],
    [{ name: 'a', run, inputSchema: { type: 'string' } }, /`inputSchema` has the type "string"/],
    [{ name: 'a', run, inputSchema: { type: 'object', required: 'city' } }, /`required`: "city"/],
    [{ name: 'a', run, inputSchema: { city: z.string() } }, /holds a schema under "city".*z\.object/],
    [{ name: 'a', run, inputSchema: { jsonSchema: Promise.resolve({}) } }, /not there yet/],
  ]
  for (const [definition, message] of bad) {
    expect(() => toolFrom(definition)).toThrow(message)
    expect(() => toolFrom(definition)).toThrow(MandateError)
  }
})

test('the facts of a tool are kept, and facts given by the host lie over them', () => {
  const definition = {
    name: 'a',
    run: (): number => 1,
    risk: 'read' as const,
    idempotent: true,
    fatal: true,
    labels: ['pii'],
  }
  const tool = defineTool(definition, { risk: 'write', timeoutMs: 5 })
  expect(tool).toMatchObject({ risk: 'write', idempotent: true, timeoutMs: 5, labels: ['pii'] })
  expect(tool.fatal?.(new Error('x'))).toBe(true)
})

test('a canonical tool passes through unchanged, and its copy under another name stays complete', async () => {
  const tool = defineTool({ name: 'a', inputSchema: z.object({ n: z.number() }), run: ({ n }) => n + 1 })
  expect(isTool(tool)).toBe(true)
  expect(defineTool(tool)).toBe(tool)
  expect(toolsFrom({ a: tool })).toEqual([tool])
  const renamed = defineTool({ ...tool, name: 'b' })
  expect(await renamed.validate({ n: 'x' })).toMatchObject({ valid: false })
  expect(await renamed.run({ n: 1 }, toolContext())).toBe(2)
})

test('an approval function that throws or only promises an answer is taken for ask', () => {
  const needs = (fn: (input: Json) => unknown): unknown => {
    const { needsApproval } = toolFrom({ name: 'a', run: () => 1, needsApproval: fn })
    return typeof needsApproval === 'function' ? needsApproval({}) : needsApproval
  }
  expect(needs(() => true)).toBe(true)
  expect(needs(() => false)).toBe(false)
  expect(needs(async () => false)).toBe(true)
  expect(
    needs(() => {
      throw new Error('x')
    }),
  ).toBe(true)
})

test('two tools of one name in a list are an error', () => {
  const tool = { name: 'a', run: (): number => 1 }
  expect(() => toolsFrom([tool, { ...tool }])).toThrow(/Two tools are named "a"/)
})

test("the type of run's input follows from the schema, or from how run declares it", () => {
  defineTool({
    name: 'a',
    inputSchema: z.object({ n: z.number() }),
    run: (input) => expectTypeOf(input).toEqualTypeOf<{ n: number }>(),
  })
  defineTool({ name: 'b', inputSchema: { type: 'object' }, run: (input: { path: string }) => input.path.length })
  defineTool({
    name: 'c',
    description: 'd',
    inputSchema: z.object({}),
    execute: async (input: { path: string }) => input.path,
  })
  // @ts-expect-error a tool needs something to run
  expect(() => defineTool({ name: 'd' })).toThrow(/`run` is missing/)
})
