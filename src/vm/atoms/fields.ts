import type { JsonObject } from '../../core/index.ts'

/** A kind of value in the short spelling of the tables here; a question mark at its end makes a field optional. */
export type Kind =
  | 'any'
  | 'string'
  | 'number'
  | 'boolean'
  | 'list'
  | 'record'
  | 'strings'
  | 'numbers'
  | 'text-or-list'
  | 'size'
  | 'size0'
export type Field = Kind | `${Kind}?`

const KINDS: Readonly<Record<Kind, JsonObject>> = {
  any: {},
  string: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  list: { type: 'array' },
  record: { type: 'object' },
  strings: { type: 'array', items: { type: 'string' } },
  numbers: { type: 'array', items: { type: 'number' } },
  'text-or-list': { type: ['array', 'string', 'object', 'number', 'boolean', 'null'] },
  // Never below one: a cost that follows from it must not give fuel back.
  size: { type: 'integer', minimum: 1, maximum: 1_000 },
  size0: { type: 'integer', minimum: 0 },
}

/** The schema of one kind. */
export function kind(name: Kind): JsonObject {
  return KINDS[name]
}

/** The schema of an input with these fields and no others. */
export function fields(given: Readonly<Record<string, Field>>): JsonObject {
  const properties: Record<string, JsonObject> = {}
  const required: string[] = []
  for (const [name, field] of Object.entries(given)) {
    properties[name] = KINDS[field.replace('?', '') as Kind]
    if (!field.endsWith('?')) required.push(name)
  }
  return { type: 'object', properties, required, additionalProperties: false }
}
