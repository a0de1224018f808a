import type { JsonObject } from '../../../core/index.ts'

/** A kind of value as written in the tables; a trailing question mark makes a field optional. */
export type Kind =
  | 'any'
  | 'string'
  | 'number'
  | 'boolean'
  | 'list'
  | 'record'
  | 'strings'
  | 'numbers'
  | 'size'
  | 'size0'
type Field = Kind | `${Kind}?`
export type Fields = Readonly<Record<string, Field>>

interface KindFacts {
  readonly schema: JsonObject
  /** The name in messages. */
  readonly words: string
  readonly fits: (value: unknown, view: View) => boolean
}

/** How lists and records are recognised: guest values and plain data differ only in this. */
export interface View {
  items(value: unknown): readonly unknown[] | undefined
  isRecord(value: unknown): boolean
}

const scalar = (type: 'string' | 'number' | 'boolean'): KindFacts => ({
  schema: { type },
  words: `a ${type}`,
  fits: (value) => typeof value === type,
})

/** Whether all items are of a type; a hole is of none. */
function isEach(items: readonly unknown[] | undefined, type: string): boolean {
  if (items === undefined) return false
  for (const item of items) if (typeof item !== type) return false
  return true
}

const listOf = (type: 'string' | 'number'): KindFacts => ({
  schema: { type: 'array', items: { type } },
  words: `an array of ${type}s`,
  fits: (value, view) => isEach(view.items(value), type),
})

const KINDS: Readonly<Record<Kind, KindFacts>> = {
  any: { schema: {}, words: 'anything', fits: () => true },
  string: scalar('string'),
  number: scalar('number'),
  boolean: scalar('boolean'),
  list: { schema: { type: 'array' }, words: 'an array', fits: (value, view) => view.items(value) !== undefined },
  record: { schema: { type: 'object' }, words: 'an object', fits: (value, view) => view.isRecord(value) },
  strings: listOf('string'),
  numbers: listOf('number'),
  // At least 1: a cost computed from it must not be negative.
  size: {
    schema: { type: 'integer', minimum: 1, maximum: 1_000 },
    words: 'a whole number from 1 to 1000',
    fits: (value) => Number.isInteger(value) && (value as number) > 0 && (value as number) <= 1_000,
  },
  size0: {
    schema: { type: 'integer', minimum: 0 },
    words: 'a whole number from 0 up',
    fits: (value) => Number.isInteger(value) && (value as number) >= 0,
  },
}

function kindOf(field: Field): KindFacts {
  return KINDS[field.replace('?', '') as Kind]
}

/** The schema of one kind. */
export function kindSchema(kind: Kind): JsonObject {
  return KINDS[kind].schema
}

/** The schema of an input with these fields and no others. */
export function fieldsSchema(given: Fields): JsonObject {
  const entries = Object.entries(given)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, kindOf(field).schema])),
    required: entries.filter(([, field]) => !field.endsWith('?')).map(([name]) => name),
    additionalProperties: false,
  }
}

/** The fault of a value of a kind, if any. */
export function kindIssue(kind: Kind, value: unknown, view: View): string | undefined {
  return KINDS[kind].fits(value, view) ? undefined : `it must be ${KINDS[kind].words}`
}

/** An input under validation. */
export interface Given {
  readonly size: number
  get(name: string): unknown
  keys(): readonly string[]
}

/** The fault of an input with these fields, if any. */
export function fieldsIssue(fields: Fields, input: Given, view: View): string | undefined {
  for (const [name, field] of Object.entries(fields)) {
    const value = input.get(name)
    if (value === undefined && (field.endsWith('?') || field === 'any')) continue
    if (value === undefined) return `"${name}" is missing`
    const { fits, words } = kindOf(field)
    if (!fits(value, view)) return `"${name}" must be ${words}`
  }
  const extra = input.keys().find((name) => !Object.hasOwn(fields, name) && input.get(name) !== undefined)
  return extra === undefined
    ? undefined
    : `"${extra}" is not known; it takes ${Object.keys(fields).join(', ') || 'nothing'}`
}
