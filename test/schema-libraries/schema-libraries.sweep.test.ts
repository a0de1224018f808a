import { describe, expect, test } from 'vitest'
import { runProject } from './project.ts'

interface Probed {
  readonly input: Told
  readonly output: Told
  readonly format: Told
  readonly valid: boolean
  readonly invalid: string
  readonly isDate: boolean
  readonly result: unknown
  readonly refused: unknown
  readonly made: unknown
}

interface Told {
  readonly type: string
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly required: readonly string[]
}

const converter = { 'zod-to-json-schema': 'zod-to-json-schema' }
const valibotConverter = { '@valibot/to-json-schema': '@valibot/to-json-schema' }

/** Program, packages under the names that the program imports, what is different about this library. */
const projects: Readonly<Record<string, readonly [string, Readonly<Record<string, string>>, Partial<Expected>?]>> = {
  'zod 4.6': ['zod.mjs', { zod: 'zod' }],
  'zod 4.1': ['zod.mjs', { zod: 'zod41' }],
  'zod 4.0': ['zod.mjs', { zod: 'zod40' }],
  'zod 3.25': ['zod.mjs', { zod: 'zod3', ...converter }],
  'zod 3.23, before Standard Schema': ['zod.mjs', { zod: 'zod323', ...converter }],
  'zod/v4 and mini of 3.25': ['zod-v4.mjs', { zod: 'zod3' }],
  'zod/v4 and mini of 4.0': ['zod-v4.mjs', { zod: 'zod40' }],
  'zod/v4 and mini of 4.6': ['zod-v4.mjs', { zod: 'zod' }],
  'valibot 1': ['valibot.mjs', { valibot: 'valibot', ...valibotConverter }],
  'ArkType 2.2': ['arktype.mjs', { arktype: 'arktype' }],
  'ArkType 2.0': ['arktype.mjs', { arktype: 'arktype20' }, { date: undefined }],
  'Effect 3': ['effect3.mjs', { effect: 'effect3' }],
  // It says what was annotated after a transformation of the result only.
  'Effect 4': ['effect4.mjs', { effect: 'effect' }, { description: undefined }],
  TypeBox: [
    'typebox.mjs',
    { '@sinclair/typebox': '@sinclair/typebox', typebox: 'typebox' },
    { isDate: false, city: ' Oslo ' },
  ],
}

interface Expected {
  readonly description: string | undefined
  readonly date: string | undefined
  readonly isDate: boolean
  readonly city: string
}

describe.each(Object.entries(projects))('%s', (_name, [program, packages, different]) => {
  const expected: Expected = { description: 'Where to', date: 'string', isDate: true, city: 'Oslo', ...different }

  test('the model is told the schema, and it is enforced, for tools and for answers', async () => {
    const told = (await runProject(program, packages)) as Readonly<Record<string, Probed>>
    expect(Object.keys(told)).not.toHaveLength(0)
    for (const { input, output, format, ...does } of Object.values(told)) {
      for (const schema of [input, format]) {
        expect(schema.type).toBe('object')
        expect(schema.properties['city']).toMatchObject({ type: 'string' })
        expect(schema.properties['city']!['description']).toBe(expected.description)
        expect(JSON.stringify(schema.properties['days'])).toContain('number')
        expect(typeOf(schema, 'when')).toBe(expected.date)
        // One member that JSON Schema cannot say takes nothing from the others.
        expect(schema.properties).toHaveProperty('odd')
        expect(schema.properties['odd']).not.toHaveProperty('type')
        expect(schema.required).toEqual(expect.arrayContaining(['city', 'when']))
        expect(schema.required).not.toContain('days')
      }
      expect(output.properties).toHaveProperty('city')
      const made = { city: expected.city, when: '2026-01-02T00:00:00.000Z', odd: 1 }
      expect(does).toEqual({
        valid: true,
        invalid: 'city',
        isDate: expected.isDate,
        result: made,
        refused: ['OUTPUT_INVALID', expect.stringContaining('city')],
        made,
      })
    }
  })
})

/** The type of a member, also where its schema stands elsewhere. */
function typeOf(schema: Told, name: string): unknown {
  const { $ref: ref, type } = schema.properties[name]!
  if (typeof ref !== 'string') return type
  const definitions = (schema as unknown as { readonly $defs: Told['properties'] }).$defs
  return definitions[ref.slice(ref.lastIndexOf('/') + 1)]!['type']
}

test.each([
  ['7', 'zod 4', { ai: 'ai', zod: 'zod' }],
  ['7', 'zod 3', { ai: 'ai', zod: 'zod3', ...converter }],
  ['6', 'zod 4', { ai: 'ai-6', zod: 'zod' }],
  ['6', 'zod 3', { ai: 'ai-6', zod: 'zod3', ...converter }],
])('tools of the AI SDK %s, of LangChain and of Mastra on %s tell their schemas', async (_sdk, _zod, packages) => {
  const libraries = { ...packages, '@langchain/core': '@langchain/core', '@mastra/core': '@mastra/core' }
  const told = (await runProject('tools.mjs', libraries)) as Readonly<Record<string, readonly [Told, unknown]>>
  expect(Object.keys(told)).toEqual(['sdk', 'sdkJson', 'sdkZod', 'langChain', 'mastra'])
  for (const [name, [schema, result]] of Object.entries(told)) {
    expect(schema).toMatchObject({ type: 'object', properties: { city: { type: 'string', description: 'Where to' } } })
    expect(result).toEqual(name === 'sdkZod' ? { city: 'Oslo' } : 'Oslo')
    if (!name.startsWith('sdkJ') && name !== 'sdkZod')
      expect(schema.properties['odd']).toEqual({ type: 'string', format: 'date-time' })
  }
})
