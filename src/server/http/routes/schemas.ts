import type { JsonSchema } from '../route.ts'

/** Short names for the schemas that routes are described with. */
export const text: JsonSchema = { type: 'string' }
export const count: JsonSchema = { type: 'integer', minimum: 0 }
export const flag: JsonSchema = { type: 'boolean' }
export const anything: JsonSchema = {}
export const texts: JsonSchema = { type: 'array', items: text }

/** Returns the schema of an object with exactly these members; those whose name ends in `?` are optional. */
export function object(members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const names = Object.keys(members)
  const isOptional = (name: string): boolean => name.endsWith('?')
  const properties = Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name]!]))
  return {
    type: 'object',
    properties,
    required: names.filter((name) => !isOptional(name)),
    additionalProperties: false,
  }
}

/** Returns the schema of an object with these members and possibly others. */
export function openObject(members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { ...object(members), additionalProperties: true }
}

export function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

export function oneOf(...values: readonly string[]): JsonSchema {
  return { enum: values }
}
