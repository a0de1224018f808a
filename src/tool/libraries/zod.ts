import { type FindCopies, type SchemaLibrary, functionOf, membersOf } from './library.ts'

interface ZodVersion {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** Zod 4, classic and mini, however it was imported. */
export const zod4: SchemaLibrary = {
  *ways(schema, { side, isStrict, find }) {
    const { toJSONSchema } = membersOf(schema)
    const options = isStrict ? { io: side } : { io: side, unrepresentable: 'any', override }
    if (typeof toJSONSchema === 'function')
      yield () => (toJSONSchema as (given: object) => unknown).call(schema, options)
    for (const copy of copiesFor(schema, find)) yield () => convert(copy, schema, options)
  },
  fix: () =>
    'Run `npm install zod@latest`, or give `z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })` instead.',
}

/** Whether a schema is one of zod 4. */
export function isZod4(schema: object): boolean {
  return '_zod' in schema
}

/** From 4.2 on a classic schema converts itself. For others the installed zod does, first the copy of the schema's own version. */
function copiesFor(schema: object, find: FindCopies): readonly unknown[] {
  const wanted = versionText(membersOf(membersOf(schema)['_zod'])['version'])
  const copies = [...find('zod/v4/core')].filter((copy) => functionOf(copy, 'toJSONSchema') !== undefined)
  const isOwn = (copy: unknown): boolean => versionText(membersOf(copy)['version']) === wanted
  return [...copies.filter(isOwn), ...copies.filter((copy) => !isOwn(copy))]
}

function versionText(version: unknown): string {
  const { major, minor, patch } = membersOf(version) as unknown as ZodVersion
  return `${major}.${minor}.${patch}`
}

/** Descriptions are read from the schemas themselves: up to 4.0 each copy of zod stores only those of its own schemas. */
function convert(copy: unknown, schema: object, options: object): unknown {
  const registry = membersOf(copy)['globalRegistry'] as { get(part: unknown): unknown }
  const metadata = {
    get: (part: object) => {
      const { meta } = membersOf(part)
      return typeof meta === 'function' ? (meta as () => unknown).call(part) : registry.get(part)
    },
  }
  return functionOf(copy, 'toJSONSchema')!(schema, { ...options, metadata })
}

/** A date that is created from a text is described as that text. */
function override({ zodSchema, jsonSchema }: { zodSchema: object; jsonSchema: { [keyword: string]: unknown } }): void {
  const { type, coerce } = membersOf(membersOf(membersOf(zodSchema)['_zod'])['def'])
  if (type !== 'date' || coerce !== true || 'type' in jsonSchema) return
  jsonSchema['type'] = 'string'
  jsonSchema['format'] = 'date-time'
}

/** Zod 3. */
export const zod3: SchemaLibrary = {
  *ways(schema, { side, find }) {
    const options = { pipeStrategy: side, effectStrategy: side === 'input' ? 'input' : 'any' }
    for (const copy of find('zod-to-json-schema')) yield () => functionOf(copy, 'zodToJsonSchema')?.(schema, options)
  },
  fix: () => 'Run `npm install zod-to-json-schema`, or use zod 4.',
}

/** Whether a schema is one of zod 3; before 3.24 they do not follow the standard. */
export function isZod3(schema: object): boolean {
  const { _def: definition, safeParseAsync } = membersOf(schema)
  return typeof membersOf(definition)['typeName'] === 'string' && typeof safeParseAsync === 'function'
}
