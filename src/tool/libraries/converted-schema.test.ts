import { type } from 'arktype'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { MandateError } from '../../core/index.ts'
import { toolFrom } from '../define-tool.ts'
import { readSchema } from '../schema.ts'
import type { StandardSchema } from '../standard-schema.ts'
import { toolContext } from '../../../test/tools/tool-context.fixture.ts'
import { asStandard, convertSchema } from './converted-schema.ts'

/** Libraries under the names of their versions; their types are not needed. */
const load = async (name: string): Promise<{ z: typeof z }> => import(name) as Promise<{ z: typeof z }>
const none = { find: () => [] }

const schemas: Readonly<Record<string, () => Promise<StandardSchema>>> = {
  'zod 4.6': async () => trip(z),
  'zod 4.0': async () => trip((await load('zod40')).z),
  'zod 3.25': async () => trip((await load('zod3')).z),
  'zod 3.23': async () => asStandard(trip((await load('zod323')).z))!,
  valibot: async () => v.object({ city: v.pipe(v.string(), v.description('Where to')), when: v.date() }),
  arktype: async () => type({ city: type('string').describe('Where to'), when: 'Date' }),
}

function trip(zod: typeof z): StandardSchema {
  return zod.object({ city: zod.string().describe('Where to'), when: zod.map(zod.string(), zod.date()) })
}

test.each(Object.entries(schemas))(
  '%s: what JSON Schema cannot say allows anything, and the rest is told',
  async (_name, make) => {
    expect(convertSchema(await make(), 'input')).toMatchObject({
      schema: {
        type: 'object',
        properties: { city: { type: 'string', description: 'Where to' }, when: expect.anything() as object },
        required: ['city', 'when'],
      },
    })
  },
)

test.each(Object.entries(schemas).filter(([name]) => !name.startsWith('zod 3')))(
  '%s: strictly, a part that cannot be said makes the whole fail',
  async (_name, make) => {
    expect(convertSchema(await make(), 'input', { isStrict: true })).toHaveProperty('fix')
  },
)

test.each([
  ['zod 4.0', 'npm install zod@latest'],
  ['zod 3.25', 'npm install zod-to-json-schema'],
  ['zod 3.23', 'npm install zod-to-json-schema'],
  ['valibot', 'npm install @valibot/to-json-schema'],
])('%s without its converter: the fix is named', async (name, fix) => {
  expect(convertSchema(await schemas[name]!(), 'input', none)).toEqual({ fix: expect.stringContaining(fix) as string })
})

test('a date that is created from a text is described as that text', () => {
  const schema = z.object({ when: z.coerce.date() })
  expect(convertSchema(schema, 'input')).toMatchObject({
    schema: { properties: { when: { type: 'string', format: 'date-time' } } },
  })
})

test('each side of a schema is said by itself', () => {
  const schema = z.object({ n: z.string().transform(Number).pipe(z.number()), d: z.number().default(1) })
  expect(convertSchema(schema, 'input')).toMatchObject({
    schema: { properties: { n: { type: 'string' } }, required: ['n'] },
  })
  expect(convertSchema(schema, 'output')).toMatchObject({
    schema: { properties: { n: { type: 'number' } }, required: ['n', 'd'] },
  })
})

function refusal(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return MandateError.isInstance(error) ? [error.code, error.message] : error
  }
}

test('a schema that cannot be converted for the model is refused where it is given, with the fix', () => {
  const unknown = { '~standard': { version: 1, vendor: 'homemade', validate: (value: unknown) => ({ value }) } }
  const fix = /Its library \("homemade"\) cannot say it as JSON Schema: give JSON Schema, or \{ jsonSchema, validate \}/
  const tool = { name: 'go', run: () => null }
  for (const field of ['inputSchema', 'outputSchema'])
    expect(refusal(() => toolFrom({ ...tool, [field]: unknown }))).toEqual([
      'CONFIG_INVALID',
      expect.stringMatching(`^Tool "go": \`${field}\` cannot be told.*${fix.source}`) as string,
    ])
  expect(
    refusal(() =>
      readSchema(
        z.custom(() => true),
        { owner: 'The agent', field: 'output' },
      ),
    ),
  ).toEqual(['CONFIG_INVALID', expect.stringMatching(/^The agent: `output` .* wrap it in an object schema/) as string])
  // Anything is what these mean.
  expect(toolFrom({ ...tool, inputSchema: z.any() }).inputSchema).toMatchObject({ type: 'object' })
})

test('TypeBox: types that JSON does not have allow anything', () => {
  const typeBox = (fields: object): object => Object.defineProperty({ ...fields }, '~kind', { value: 'Object' })
  const tool = toolFrom({
    name: 'go',
    inputSchema: typeBox({
      type: 'object',
      properties: { n: { type: 'bigint', description: 'Large' }, s: { const: 1 } },
    }),
    run: () => null,
  })
  expect(tool.inputSchema).toEqual({ type: 'object', properties: { n: { description: 'Large' }, s: { const: 1 } } })
})

test('what a tool gives must fit its output schema, and is what the schema makes of it', async () => {
  const give = async (result: unknown, outputSchema: unknown): Promise<unknown> => {
    const tool = toolFrom({ name: 'give', outputSchema, run: () => result })
    try {
      return await tool.run({}, toolContext())
    } catch (error) {
      return MandateError.isInstance(error) ? [error.code, error.message] : error
    }
  }
  const zod = z.object({ n: z.string().transform(Number) })
  expect(await give({ n: '7', extra: true }, zod)).toEqual({ n: 7 })
  expect(await give(Promise.resolve({ n: 7 }), zod)).toEqual(['OUTPUT_INVALID', expect.stringContaining('"give" gave')])
  expect(await give('text', { type: 'string' })).toBe('text')
  expect(await give(7, { type: 'string' })).toEqual(['OUTPUT_INVALID', expect.stringContaining('expected string')])
  expect(await give([1], v.array(v.number()))).toEqual([1])
  expect(await give(['x'], v.array(v.number()))).toEqual(['OUTPUT_INVALID', expect.stringContaining('[0]')])
})

test('of a result that comes piece by piece the last piece must fit', async () => {
  const stream = (last: unknown): unknown =>
    toolFrom({
      name: 'give',
      outputSchema: z.object({ n: z.coerce.number() }),
      async *run() {
        yield 'halfway'
        yield last
      },
    }).run({}, toolContext())
  const seen: unknown[] = []
  const read = async (pieces: unknown): Promise<unknown> => {
    const iterator = ((await pieces) as AsyncIterable<unknown>)[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = (await iterator.next()) as { done?: boolean; value: unknown }
      if (done === true) return value
      seen.push(value)
    }
  }
  expect(await read(stream({ n: '7' }))).toEqual({ n: 7 })
  expect(seen).toEqual(['halfway', { n: '7' }])
  await expect(read(stream('no'))).rejects.toMatchObject({ code: 'OUTPUT_INVALID' })
})
