import type { Json, JsonObject } from '../core/index.ts'

type Fits = (value: Json) => boolean
type Keyword = (said: Json) => Fits | undefined

const ANY: Fits = (value) => fitsMembers(value, {}, ANY, ANY)
/** What is said for readers alone. */
const SILENT = new Set([
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  'deprecated',
  'readOnly',
  'writeOnly',
])

/**
 * Whether a value fits a schema that uses the plain words alone (types, members, items, bounds, enumerations); nothing for one that says more.
 * It only says yes for sure: what it refuses is looked at by the validator, which knows all words and can say what is wrong.
 */
export function plainFits(schema: JsonObject): Fits | undefined {
  const checks: Fits[] = []
  for (const [word, said] of Object.entries(schema)) {
    if (SILENT.has(word) || BELOW.has(word)) continue
    const check = Object.hasOwn(KEYWORDS, word) ? KEYWORDS[word]!(said) : undefined
    if (check === undefined) return undefined
    checks.push(check)
  }
  const below = fitsBelow(schema)
  return below && ((value) => checks.every((check) => check(value)) && below(value))
}

const BELOW = new Set(['properties', 'additionalProperties', 'items'])

function fitsBelow({ properties = {}, additionalProperties, items }: JsonObject): Fits | undefined {
  if (!isObject(properties)) return undefined
  const members: Record<string, Fits> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const fits = read(schema)
    if (fits === undefined || name === '__proto__') return undefined
    members[name] = fits
  }
  const others = read(additionalProperties)
  const each = read(items)
  return others && each && ((value) => fitsMembers(value, members, others, each))
}

function read(schema: Json | undefined): Fits | undefined {
  if (schema === undefined || schema === true) return ANY
  if (schema === false) return () => false
  return isObject(schema) ? plainFits(schema) : undefined
}

function fitsMembers(value: Json, members: Readonly<Record<string, Fits>>, others: Fits, each: Fits): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every((item: Json) => each(item))
  return Object.entries(value).every(
    // Half a surrogate pair in a name is for the validator to refuse.
    ([name, member]) => name.isWellFormed() && (Object.hasOwn(members, name) ? members[name]! : others)(member),
  )
}

const TYPES: { readonly [type: string]: Fits } = {
  object: isObject,
  array: (value) => Array.isArray(value),
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}

const KEYWORDS: { readonly [word: string]: Keyword } = {
  type(said) {
    const types = (Array.isArray(said) ? said : [said]) as readonly string[]
    if (!types.every((type) => typeof type === 'string' && Object.hasOwn(TYPES, type))) return undefined
    return (value) => types.some((type) => TYPES[type]!(value))
  },
  enum: (said) => (Array.isArray(said) && !said.some(isHolder) ? (value) => said.includes(value) : undefined),
  const: (said) => (isHolder(said) ? undefined : (value) => value === said),
  required(said) {
    if (!Array.isArray(said)) return undefined
    return (value) => !isObject(value) || said.every((name) => Object.hasOwn(value, name as string))
  },
  minimum: bound(sizeOfNumber, (size, limit) => size >= limit),
  maximum: bound(sizeOfNumber, (size, limit) => size <= limit),
  exclusiveMinimum: bound(sizeOfNumber, (size, limit) => size > limit),
  exclusiveMaximum: bound(sizeOfNumber, (size, limit) => size < limit),
  minLength: bound(sizeOfText, (size, limit) => size >= limit),
  maxLength: bound(sizeOfText, (size, limit) => size <= limit),
  minItems: bound(sizeOfList, (size, limit) => size >= limit),
  maxItems: bound(sizeOfList, (size, limit) => size <= limit),
}

function bound(sizeOf: (value: Json) => number | undefined, holds: (size: number, limit: number) => boolean): Keyword {
  return (limit) => {
    if (typeof limit !== 'number') return undefined
    return (value) => {
      const size = sizeOf(value)
      return size === undefined || holds(size, limit)
    }
  }
}

function sizeOfNumber(value: Json): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** In code points, as the specification has it. */
function sizeOfText(value: Json): number | undefined {
  if (typeof value !== 'string') return undefined
  let size = value.length
  for (let at = 1; at < value.length; at++) if (value.codePointAt(at - 1)! > 0xffff) size--
  return size
}

function sizeOfList(value: Json): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isHolder(value: Json): boolean {
  return typeof value === 'object' && value !== null
}
