import { nearest } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'

/** What the value of a keyword is. */
type KeywordKind =
  | 'schema'
  | 'schemas'
  | 'schema list'
  | 'items'
  | 'number'
  | 'text'
  | 'names'
  | 'list'
  | 'type'
  | 'any'

const TYPES: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/** The keywords of the drafts that are validated, and of OpenAPI, whose other keywords describe and never restrict. */
const KEYWORDS: Readonly<Record<string, KeywordKind>> = {
  type: 'type',
  ...kind('schemas', ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']),
  ...kind('schema', ['additionalProperties', 'additionalItems', 'propertyNames', 'not', 'if', 'then', 'else']),
  ...kind('schema', ['contains', 'unevaluatedProperties', 'unevaluatedItems', 'contentSchema']),
  ...kind('schema list', ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
  items: 'items',
  ...kind('number', ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems']),
  ...kind('number', ['minProperties', 'maxProperties', 'minContains', 'maxContains']),
  ...kind('text', ['$ref', '$id', 'id', '$schema', '$anchor', '$dynamicRef', '$comment', 'title', 'pattern', 'format']),
  ...kind('text', ['contentEncoding', 'contentMediaType']),
  required: 'names',
  enum: 'list',
  ...kind('any', ['const', 'default', 'examples', 'exclusiveMinimum', 'exclusiveMaximum', 'uniqueItems', 'readOnly']),
  ...kind('any', ['writeOnly', 'deprecated', 'description', 'dependencies', 'dependentRequired', '$vocabulary']),
  ...kind('any', ['$recursiveRef', '$recursiveAnchor', '$dynamicAnchor']),
  ...kind('any', ['nullable', 'discriminator', 'xml', 'externalDocs', 'example', 'media']),
}

function kind(what: KeywordKind, names: readonly string[]): Readonly<Record<string, KeywordKind>> {
  return Object.fromEntries(names.map((name) => [name, what]))
}

/** Something that a person has written is no JSON Schema, and the fix. */
interface SchemaProblem {
  readonly what: string
  readonly fix: string
}

/**
 * Why an object that somebody wrote is no JSON Schema, or `undefined`. By the standard every unknown keyword is ignored, so that a list of members
 * without `properties`, or one misspelt keyword, would accept every input. Keywords that resemble none are somebody's own, and stay.
 */
export function schemaProblem(schema: JsonObject): SchemaProblem | undefined {
  const strangers = Object.keys(schema).filter((name) => !Object.hasOwn(KEYWORDS, name) && !name.startsWith('x-'))
  if (strangers.length > 0 && strangers.length === Object.keys(schema).length) return rawShape(schema, strangers)
  return problemIn(schema, '')
}

/** Members where keywords should be: `{ amount: 'number' }`. */
function rawShape(schema: JsonObject, names: readonly string[]): SchemaProblem {
  const [first = ''] = names
  const meant = nearest(first, Object.keys(KEYWORDS))
  if (meant !== undefined && !isLikeSchema(schema[first])) return unknownKeyword('', first, meant)
  const members = names.slice(0, 3).map((name) => `${name}: ${asSchema(schema[name])}`)
  return {
    what: `has no keyword of JSON Schema: ${names.slice(0, 5).map(quoted).join(', ')}`,
    fix: `Put members under \`properties\`: { type: 'object', properties: { ${members.join(', ')} }, required: [${names.slice(0, 3).map(quoted).join(', ')}] }.`,
  }
}

function problemIn(schema: Json, at: string): SchemaProblem | undefined {
  if (typeof schema === 'boolean') return undefined
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return { what: `has ${at} that is no schema: ${text(schema)}`, fix: `Write ${asSchema(schema)}.` }
  for (const [name, value] of Object.entries(schema)) {
    const known = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name]! : undefined
    const problem = known === undefined ? strange(name, value, at) : problemOf(known, value, `${at}/${name}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** A keyword that is none: a misspelt one, or a member that should stand under `properties`. */
function strange(name: string, value: Json, at: string): SchemaProblem | undefined {
  if (name.startsWith('x-')) return undefined
  const meant = nearest(name, Object.keys(KEYWORDS))
  const hasMeant = meant !== undefined && problemOf(KEYWORDS[meant]!, value, '') === undefined
  if (isLikeSchema(value) && !hasMeant)
    return {
      what: `has ${quoted(name)}${where(at)}, which is no keyword of JSON Schema`,
      fix: `A member stands under \`properties\`: { type: 'object', properties: { ${name}: ${asSchema(value)} } }.`,
    }
  return meant === undefined ? undefined : unknownKeyword(at, name, meant)
}

function unknownKeyword(at: string, name: string, meant: string): SchemaProblem {
  return {
    what: `has ${quoted(name)}${where(at)}, which is no keyword of JSON Schema`,
    fix: `Did you mean \`${meant}\`?`,
  }
}

function problemOf(what: KeywordKind, value: Json, at: string): SchemaProblem | undefined {
  const split = at.lastIndexOf('/')
  const wrong = (needed: string): SchemaProblem => ({
    what: `has \`${at.slice(split + 1)}\`: ${text(value)}${where(at.slice(0, split))}`,
    fix: `Give ${needed}.`,
  })
  switch (what) {
    case 'schema':
      return problemIn(value, at)
    case 'items':
      return Array.isArray(value) ? firstProblem(value, at) : problemIn(value, at)
    case 'schema list':
      return Array.isArray(value) ? firstProblem(value, at) : wrong('a list of schemas')
    case 'schemas':
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('an object of schemas')
      for (const [name, member] of Object.entries(value)) {
        const problem = problemIn(member, `${at}/${name}`)
        if (problem !== undefined) return problem
      }
      return undefined
    case 'number':
      return typeof value === 'number' ? undefined : wrong('a number')
    case 'text':
      return typeof value === 'string' ? undefined : wrong('a text')
    case 'list':
      return Array.isArray(value) ? undefined : wrong('a list of values')
    case 'names':
      if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return undefined
      return wrong('a list of names, beside `properties`')
    case 'type':
      return typeProblem(value, at)
    default:
      return undefined
  }
}

function firstProblem(list: readonly Json[], at: string): SchemaProblem | undefined {
  for (const [index, schema] of list.entries()) {
    const problem = problemIn(schema, `${at}/${index}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

function typeProblem(value: Json, at: string): SchemaProblem | undefined {
  const names = Array.isArray(value) ? value : [value]
  const wrong = names.find((name) => !TYPES.includes(name as string))
  if (wrong === undefined) return undefined
  const meant = typeof wrong === 'string' ? typeNamed(wrong) : undefined
  const fix = meant === undefined ? `Use one of: ${TYPES.join(', ')}.` : `Did you mean "${meant}"?`
  return { what: `has the type ${text(wrong)} at ${at}`, fix }
}

/** Whether a value was meant as the schema of a member: the name of a type, or an object with one. */
function isLikeSchema(value: Json | undefined): boolean {
  if (typeof value === 'string') return typeNamed(value) !== undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { type } = value as JsonObject
  return typeof type === 'string' && TYPES.includes(type)
}

/** The type that a word means, in whatever language it was thought of. */
function typeNamed(word: string): string | undefined {
  const others: Readonly<Record<string, string>> = {
    int: 'integer',
    float: 'number',
    bool: 'boolean',
    str: 'string',
    text: 'string',
    list: 'array',
  }
  const plain = word.toLowerCase().replace(/[?!]$/u, '')
  return TYPES.find((type) => type === plain) ?? (Object.hasOwn(others, plain) ? others[plain] : nearest(plain, TYPES))
}

/** A value as the schema that was probably meant. */
function asSchema(value: Json | undefined): string {
  if (typeof value === 'string') return `{ type: '${typeNamed(value) ?? 'string'}' }`
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const { type } = value as JsonObject
    return typeof type === 'string' ? `{ type: '${type}', … }` : `{ type: 'object', properties: { … } }`
  }
  return `{ type: '${Array.isArray(value) ? 'array' : typeof value === 'number' ? 'number' : 'string'}' }`
}

function where(at: string): string {
  return at === '' ? '' : ` at ${at}`
}

function quoted(name: string): string {
  return `"${name.slice(0, 60)}"`
}

function text(value: Json): string {
  return JSON.stringify(value).slice(0, 80)
}
