import { type } from 'arktype'
import * as v from 'valibot'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { z as zod3 } from 'zod/v3'
import type { Json } from '../core/index.ts'
import { toolFrom } from './define-tool.ts'
import { describeIssues } from './json-schema/issue-text.ts'
import { toolContext } from '../../test/tools/tool-context.fixture.ts'
import type { Tool, ValidationIssue } from './tool.ts'

const echo = (inputSchema: unknown): Tool => toolFrom({ name: 'echo', inputSchema, run: (input: unknown) => input })

async function issuesOf(tool: Tool, input: Json): Promise<readonly ValidationIssue[]> {
  const result = await tool.validate(input)
  return result.valid ? [] : result.issues
}

const order = {
  type: 'object',
  properties: {
    id: { type: 'integer', minimum: 1 },
    kind: { enum: ['book', 'film'] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    address: { $ref: '#/$defs/address' },
    code: { type: 'string', pattern: '^[A-Z]+$' },
  },
  required: ['id'],
  additionalProperties: false,
  $defs: {
    address: {
      type: 'object',
      properties: { city: { type: 'string' }, zip: { type: 'string', pattern: '^\\d+$' } },
      required: ['city'],
    },
  },
}

test('issues name the path, what was expected and what was given', async () => {
  const issues = await issuesOf(echo(order), {
    id: 'seven',
    kind: 'song',
    tags: ['a', 2],
    address: { zip: 'x1' },
    code: 'abc',
    colour: 'red',
  })
  expect(issues).toEqual(
    expect.arrayContaining([
      { path: 'id', message: 'expected integer, given "seven"' },
      { path: 'kind', message: 'expected one of ["book","film"], given "song"' },
      { path: 'tags[1]', message: 'expected string, given 2' },
      { path: 'address.city', message: 'is required and was not given' },
      { path: 'address.zip', message: 'expected text that matches /^\\d+$/, given "x1"' },
      { path: 'code', message: 'expected text that matches /^[A-Z]+$/, given "abc"' },
      { path: 'colour', message: 'is not known; known are id, kind, tags, address, code' },
    ]),
  )
  expect(issues).toHaveLength(7)
})

test('limits are told with both numbers', async () => {
  const issues = await issuesOf(echo(order), { id: 0, tags: ['a', 'b', 'c'] })
  expect(issues.map((issue) => issue.message)).toEqual([
    'expected at least 1, given 0',
    'expected at most 2 items, given 3 (["a","b","c"])',
  ])
})

test('alternatives that all fail say what the nearest one wants', async () => {
  const tool = echo({
    type: 'object',
    properties: { a: { anyOf: [{ type: 'string' }, { type: 'number', minimum: 3 }] } },
  })
  expect(await issuesOf(tool, { a: true })).toEqual([{ path: 'a', message: 'expected string or number, given true' }])
  expect(await issuesOf(tool, { a: 1 })).toEqual([
    { path: 'a', message: 'fits none of the 2 allowed alternatives; nearest is number 2, given 1' },
    { path: 'a', message: 'expected at least 3, given 1' },
  ])
})

test('a valid input passes unchanged, however the schema was frozen', async () => {
  const schema = JSON.parse(JSON.stringify(order), (_key, value: unknown) => Object.freeze(value)) as object
  const input = { id: 1, kind: 'book', address: { city: 'Oslo' } }
  const tool = echo(schema)
  expect(await tool.validate(input)).toEqual({ valid: true, value: input })
  // What models are told is the schema alone, without marks of the validator.
  expect(Reflect.ownKeys(tool.inputSchema as object)).toEqual(Reflect.ownKeys(order))
})

test('issues as text for a model are one line each, and few', async () => {
  const tool = echo({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`p${i}`, { type: 'string' }])),
  })
  const issues = await issuesOf(tool, Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`p${i}`, i])))
  const text = describeIssues(issues)
  expect(text).toMatch(/^The input is not valid/)
  expect(text).toContain('- p0: expected string, given 0')
  expect(text.split('\n').length).toBeLessThan(13)
})

test('a large wrong value is shown short', async () => {
  const [issue] = await issuesOf(echo(order), { id: 'x'.repeat(5_000_000) })
  expect(issue!.message.length).toBeLessThan(150)
})

test('a schema that cannot be used is an error that names the tool', () => {
  const refused = { code: 'SCHEMA_INVALID', message: expect.stringContaining('tool "echo"') }
  for (const a of [{ $ref: 'https://elsewhere.example/x.json' }, { pattern: '(' }]) {
    const tool = echo({ type: 'object', properties: { a } })
    expect(() => tool.validate({ a: 'x' })).toThrow(expect.objectContaining(refused) as Error)
  }
})

test('members named __proto__ and absurd nesting are refused before any schema sees them', async () => {
  const hostile = JSON.parse('{"a":[{"__proto__":{"admin":true}}]}') as Json
  for (const tool of [echo({ type: 'object' }), echo(undefined), echo(z.looseObject({}))]) {
    expect(await issuesOf(tool, hostile)).toEqual([{ path: 'a[0].__proto__', message: 'this name is not allowed' }])
    const deep = JSON.parse(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`) as Json
    expect((await issuesOf(tool, deep))[0]?.message).toContain('nested deeper')
  }
})

const libraries: Record<string, unknown> = {
  zod: z.object({ city: z.string(), days: z.number() }),
  valibot: v.object({ city: v.string(), days: v.number() }),
  arktype: type({ city: 'string', days: 'number' }),
  'zod, checked asynchronously': z.object({ city: z.string().refine(async (city) => city !== ''), days: z.number() }),
}

test.each(Object.keys(libraries))('%s schemas validate through the standard interface', async (name) => {
  const tool = echo(libraries[name])
  expect(await tool.validate({ city: 'Oslo', days: 3 })).toEqual({ valid: true, value: { city: 'Oslo', days: 3 } })
  const issues = await issuesOf(tool, { city: 'Oslo', days: 'three' })
  expect(issues).toHaveLength(1)
  expect(issues[0]!.path).toBe('days')
  expect(issues[0]!.message).toMatch(/number/)
  expect(await tool.run({ city: 'Oslo', days: 3 }, toolContext())).toEqual({ city: 'Oslo', days: 3 })
})

test('the JSON Schema is what the library says of its own schema', () => {
  for (const name of Object.keys(libraries)) {
    expect(echo(libraries[name]).inputSchema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'number' } },
      required: ['city', 'days'],
    })
  }
})

test('defaults are filled in and unknown members dropped before anyone decides about the input', async () => {
  const tool = echo(z.object({ limit: z.number().default(10), name: z.string().trim() }))
  expect(await tool.validate({ name: ' a ', extra: true })).toEqual({ valid: true, value: { limit: 10, name: 'a' } })
})

test('a schema that makes something else of its input keeps the input for the record and gives the tool what it expects', async () => {
  const dated = echo(z.object({ when: z.string().transform((text) => new Date(text)) }))
  const input = { when: '2026-01-02T00:00:00.000Z' }
  expect(await dated.validate(input)).toEqual({ valid: true, value: input })
  expect(await dated.run(input, toolContext())).toEqual({ when: new Date('2026-01-02') })

  const counted = echo(z.object({ text: z.string().transform((text) => text.length) }))
  const checked = await counted.validate({ text: 'abc' })
  expect(checked).toEqual({ valid: true, value: { text: 'abc' } })
  expect(await counted.run({ text: 'abc' }, toolContext())).toEqual({ text: 3 })

  const growing = echo(z.object({ text: z.string().transform((text) => `${text}!`) }))
  expect(await growing.validate({ text: 'a' })).toEqual({ valid: true, value: { text: 'a' } })
  expect(await growing.run({ text: 'a' }, toolContext())).toEqual({ text: 'a!' })
})

test("the AI SDK's wrapped and lazy schemas are read, and their own check counts", async () => {
  const jsonSchema = { type: 'object', properties: { n: { type: 'number' } } }
  expect(await issuesOf(echo({ jsonSchema }), { n: 'x' })).toHaveLength(1)
  expect(echo(() => ({ jsonSchema })).inputSchema).toEqual(jsonSchema)
  const picky = echo({
    jsonSchema,
    validate: (value: { n: number }) =>
      value.n === 7 ? { success: true, value } : { success: false, error: new Error('only seven will do') },
  })
  expect(picky.inputSchema).toEqual(jsonSchema)
  expect(await issuesOf(picky, { n: 6 })).toEqual([{ path: '', message: 'only seven will do' }])
  expect(await issuesOf(picky, { n: 7 })).toEqual([])
})

test('a schema object without a type is an object schema', () => {
  expect(echo({ properties: { a: {} } }).inputSchema).toEqual({ type: 'object', properties: { a: {} } })
})

test("an exception in a schema's own code is reported as its failure, not as an issue of the value", async () => {
  const raise = (): never => {
    throw new TypeError('no such rate')
  }
  const failed = { code: 'SCHEMA_FAILED', message: expect.stringContaining('threw: no such rate') }
  const tool = echo(z.object({ text: z.string().refine(raise) }))
  await expect(async () => tool.validate({ text: 'a' })).rejects.toMatchObject(failed)
  for (const code of [raise, async () => raise()]) {
    const outputSchema = z.object({ text: z.string().transform(code) })
    const giving = toolFrom({ name: 'give', outputSchema, run: () => ({ text: 'a' }) })
    await expect(giving.run({}, toolContext())).rejects.toMatchObject(failed)
  }
})

test('asynchronous code in the schema of an input fails the call, not the process', async () => {
  const code = async (): Promise<never> => {
    throw new TypeError('no such rate')
  }
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  for (const schema of [
    z.object({ text: z.string().transform(code) }),
    z.object({ list: z.array(z.object({ text: z.string().refine(code) })) }),
    z.object({ text: z.string() }).check(code),
    zod3.object({ text: zod3.string().transform(code) }),
  ]) {
    const input = { text: 'a', list: [{ text: 'a' }] }
    await expect(async () => echo(schema).validate(input)).rejects.toMatchObject({ code: 'SCHEMA_FAILED' })
  }
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(unhandled).toEqual([])
})
