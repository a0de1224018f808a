import type { Json } from 'mandate'
import { describeIssues, toolFrom } from '../../src/tool/index.ts'
import type { Tool } from 'mandate/tool'
import * as v from 'valibot'
import { type } from 'arktype'
import { expect, test } from 'vitest'
import { z } from 'zod'

const tool = (inputSchema: unknown): Tool => toolFrom({ name: 'book', inputSchema, run: () => null })

const trip = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2, maxLength: 30, pattern: '^\\p{Lu}' },
    days: { type: 'integer', minimum: 1, maximum: 30 },
    price: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.01 },
    start: { type: 'string', format: 'date' },
    mail: { type: 'string', format: 'email' },
    kind: { enum: ['work', 'leisure'] },
    version: { const: 2 },
    isPaid: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3, uniqueItems: true },
    guests: { type: 'array', items: { $ref: '#/$defs/guest' }, contains: { required: ['isAdult'] } },
    room: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    pay: {
      oneOf: [
        {
          type: 'object',
          properties: { by: { const: 'card' }, number: { type: 'string' } },
          required: ['by', 'number'],
        },
        {
          type: 'object',
          properties: { by: { const: 'cash' }, amount: { type: 'number' } },
          required: ['by', 'amount'],
        },
      ],
    },
    seat: { prefixItems: [{ type: 'integer' }, { enum: ['A', 'B'] }], items: false },
    notes: { type: 'object', propertyNames: { pattern: '^[a-z]+$' }, minProperties: 1, maxProperties: 2 },
    secret: false,
    comment: { not: { pattern: 'TODO' } },
  },
  required: ['city'],
  dependentRequired: { days: ['start'] },
  additionalProperties: false,
  $defs: {
    guest: { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } }, required: ['name'] },
  },
}

/** What a model may send instead of a good input; each is good but for what is named. */
const bad: readonly Json[] = [
  {},
  { city: 7 },
  { city: 'x' },
  { city: 'oslo' },
  { city: 'O'.repeat(31) },
  { city: 'Oslo', days: '3', start: '2026-01-02' },
  { city: 'Oslo', days: 2.5, start: '2026-01-02' },
  { city: 'Oslo', days: 0, start: '2026-01-02' },
  { city: 'Oslo', days: 3 },
  { city: 'Oslo', price: 0 },
  { city: 'Oslo', price: 1.005 },
  { city: 'Oslo', start: 'tomorrow' },
  { city: 'Oslo', mail: 'me' },
  { city: 'Oslo', kind: 'fun' },
  { city: 'Oslo', version: 3 },
  { city: 'Oslo', isPaid: 'true' },
  { city: 'Oslo', tags: [] },
  { city: 'Oslo', tags: ['a', 'b', 'a'] },
  { city: 'Oslo', tags: ['a', 2, 'c', 'd'] },
  { city: 'Oslo', tags: '["a"]' },
  { city: 'Oslo', guests: [{ age: 'ten' }] },
  { city: 'Oslo', guests: '{"name":"Ada"}' },
  { city: 'Oslo', room: true },
  { city: 'Oslo', pay: { by: 'card' } },
  { city: 'Oslo', pay: { by: 'cheque' } },
  { city: 'Oslo', pay: 'cash' },
  { city: 'Oslo', seat: [1, 'C', 'window'] },
  { city: 'Oslo', notes: { 'Bad Name': 1 } },
  { city: 'Oslo', notes: {} },
  { city: 'Oslo', secret: 1 },
  { city: 'Oslo', comment: 'TODO later' },
  { city: 'Oslo', citty: 'Oslo' },
  { city: null, days: null, start: null },
  'Oslo',
  ['Oslo'],
  null,
]

const libraries: Readonly<Record<string, unknown>> = {
  zod: z.strictObject({
    city: z.string().min(2).max(30),
    days: z.int().min(1).optional(),
    start: z.iso.date().optional(),
    kind: z.enum(['work', 'leisure']).optional(),
    pay: z
      .discriminatedUnion('by', [
        z.object({ by: z.literal('card'), number: z.string() }),
        z.object({ by: z.literal('cash'), amount: z.number() }),
      ])
      .optional(),
    tags: z.array(z.string()).max(3).optional(),
    mail: z.email({ error: 'write an address like name@host.example' }).optional(),
    code: z
      .string()
      .refine(async (code) => code === 'x', 'this code has expired')
      .optional(),
  }),
  valibot: v.strictObject({
    city: v.pipe(v.string(), v.minLength(2), v.maxLength(30)),
    days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
    start: v.optional(v.pipe(v.string(), v.isoDate())),
    kind: v.optional(v.picklist(['work', 'leisure'])),
    pay: v.optional(
      v.variant('by', [
        v.object({ by: v.literal('card'), number: v.string() }),
        v.object({ by: v.literal('cash'), amount: v.number() }),
      ]),
    ),
    tags: v.optional(v.pipe(v.array(v.string()), v.maxLength(3))),
    mail: v.optional(v.pipe(v.string(), v.email('write an address like name@host.example'))),
    code: v.optional(v.string()),
  }),
  arktype: type({
    '+': 'reject',
    city: '2 <= string <= 30',
    'days?': 'number.integer >= 1',
    'start?': 'string.date.iso',
    'kind?': "'work' | 'leisure'",
    'pay?': type({ by: "'card'", number: 'string' }).or({ by: "'cash'", amount: 'number' }),
    'tags?': 'string[] <= 3',
    'mail?': 'string.email',
    'code?': 'string',
  }),
}

const badForAll: readonly Json[] = [
  {},
  { city: 7 },
  { city: 'x' },
  { city: 'Oslo', days: '3' },
  { city: 'Oslo', days: 0.5 },
  { city: 'Oslo', start: 'tomorrow' },
  { city: 'Oslo', kind: 'fun' },
  { city: 'Oslo', pay: { by: 'card' } },
  { city: 'Oslo', pay: { by: 'cheque' } },
  { city: 'Oslo', tags: ['a', 2] },
  { city: 'Oslo', tags: ['a', 'b', 'c', 'd'] },
  { city: 'Oslo', mail: 'me' },
  { city: 'Oslo', citty: 1 },
  { city: { name: 'Oslo' }, days: {} },
]

async function textFor(checked: Tool, input: Json): Promise<string> {
  const result = await checked.validate(input)
  return result.valid ? 'ACCEPTED' : describeIssues(result.issues).split('\n').slice(1).join('\n')
}

async function table(title: string, checked: Tool, inputs: readonly Json[]): Promise<string> {
  const lines = await Promise.all(
    inputs.map(async (input) => `${JSON.stringify(input)}\n${await textFor(checked, input)}`),
  )
  return [`== ${title}`, ...lines].join('\n\n')
}

test('every bad input is told in words that a model can act on', async () => {
  const tables = [
    table('JSON Schema', tool(trip), bad),
    ...Object.entries(libraries).map(([name, schema]) => table(name, tool(schema), badForAll)),
  ]
  const text = `${(await Promise.all(tables)).join('\n\n\n')}\n`
  expect(text).not.toContain('ACCEPTED')
  expect(text).not.toMatch(/\[object |\n\s+at .*:\d+:\d+|undefined: /)
  await expect(text).toMatchFileSnapshot('./messages.txt')
})

/** Inputs made to make messages long, ugly or slow. */
const hostile: Readonly<Record<string, Json>> = {
  'a text of a megabyte': { city: 'x'.repeat(1_000_000), days: 'y'.repeat(1_000_000) },
  'a thousand unknown members': Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`unknown_${i}`, i])),
  'an unknown member with a name of a megabyte': { city: 'Oslo', ['n'.repeat(1_000_000)]: 1 },
  'a deep path of odd names': { city: 'Oslo', guests: [{ name: { ['"\n'.repeat(500)]: 1 } }] },
  'ten thousand wrong items': { city: 'Oslo', tags: Array.from({ length: 10_000 }, (_, i) => i) },
  'a wrong object of a megabyte': { city: Array.from({ length: 20_000 }, (_, i) => ({ key: `value ${i}` })) },
  'control characters': { city: 'Oslo\u0000\u001b[31m', kind: '\n\n- city: fine\n' },
}

test.each(Object.keys(hostile))('messages stay short and in line for %s', async (name) => {
  const long = {
    ...trip,
    properties: { ...trip.properties, kind: { enum: Array.from({ length: 5_000 }, (_, i) => `kind ${i}`) } },
  }
  for (const schema of [trip, long, ...Object.values(libraries)]) {
    const result = await tool(schema).validate(hostile[name]!)
    expect(result.valid).toBe(false)
    const text = result.valid ? '' : describeIssues(result.issues)
    expect(text.length).toBeLessThan(7_000)
    expect(text.split('\n').length).toBeLessThanOrEqual(12)
    for (const { path, message } of result.valid ? [] : result.issues) {
      expect(path.length).toBeLessThanOrEqual(160)
      expect(message.length).toBeLessThanOrEqual(400)
      expect(message).not.toMatch(/\p{Cc}/u)
    }
  }
})

test('a reason that is no reason is replaced, and a stack is cut off', async () => {
  const refusing = (message: unknown): Tool =>
    tool({
      '~standard': { version: 1, vendor: 'own', validate: () => ({ issues: [{ message }] }) },
      toJSONSchema: () => ({ type: 'object' }),
    })
  for (const [message, told] of [
    [{ code: 1 }, 'it was refused without a reason'],
    ['[object Object]', 'it was refused without a reason'],
    ['', 'it was refused without a reason'],
    ['too short\n    at check (file:///srv/app.ts:1:2)\n    at run', 'too short'],
  ] as const) {
    expect(await refusing(message).validate({})).toEqual({ valid: false, issues: [{ path: '', message: told }] })
  }
})

test('lists that must not repeat are checked in one pass, however long they are', async () => {
  const list = (items: Json): Tool =>
    tool({ type: 'object', properties: { ids: { type: 'array', uniqueItems: true, items } } })
  const many = Array.from({ length: 200_000 }, (_, i) => i)
  expect(await list({ type: 'integer' }).validate({ ids: many })).toMatchObject({ valid: true })
  expect(await list({ maximum: 5 }).validate({ ids: many })).toMatchObject({
    valid: false,
    issues: [{ path: 'ids[6]', message: 'expected at most 5, given 6' }],
  })
  const issue = { path: 'ids', message: 'has 200001 items, some lists repeat items, and at most 5000 can be compared' }
  expect(await list({}).validate({ ids: [...many, 7] })).toEqual({ valid: false, issues: [issue] })
  const few = many.slice(0, 1_500)
  expect(await list({}).validate({ ids: [...few, 7] })).toMatchObject({
    issues: [{ path: 'ids', message: expect.stringContaining('[7] and [1500] are the same') }],
  })
})

test('a schema that refers to nothing but itself is refused, not followed for ever', async () => {
  const endless = tool({
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' } },
    $defs: { a: { $ref: '#/$defs/a' } },
  })
  await expect((async () => endless.validate({ a: 1 }))()).rejects.toMatchObject({ code: 'SCHEMA_INVALID' })
})

test('half a character in a name is refused as what it is, not as a fault of the schema', async () => {
  const result = await tool(trip).validate({ city: 'Oslo', notes: { '\ud800': 1 } })
  expect(result).toEqual({ valid: false, issues: [{ path: 'notes', message: 'the name "\\ud800" is not text' }] })
})

test('a schema that cannot be used says which part of it, briefly', async () => {
  for (const [schema, told] of [
    [
      { type: 'object', properties: { a: { $ref: '#/$defs/none' } } },
      '$ref "#/$defs/none" leads nowhere. Put what it names into the same schema',
    ],
    [{ type: 'object', properties: { a: { pattern: '(' } } }, 'Invalid regular expression'],
  ] as const) {
    const attempt = (async () => tool(schema).validate({ a: 'x' }))()
    await expect(attempt).rejects.toMatchObject({ code: 'SCHEMA_INVALID', message: expect.stringContaining(told) })
    await expect(attempt).rejects.toThrow(/^The input schema of tool "book" cannot be used: .{1,400}$/)
  }
})
