import type { Json } from '../../core/index.ts'
import type { CodeTool } from '../../agent/index.ts'

const DEPTH_MAX = 4
const DESCRIPTION_MAX = 1_200
const MEMBER_DESCRIPTION_MAX = 400

type Schema = { readonly [key: string]: Json }

/**
 * Tools as functions with types, for a model's prompt: one line each, with its description above it.
 *
 * `search({ query: string, limit?: number }): Promise<{ hits: string[] }>`
 */
export function toolSignatures(tools: readonly CodeTool[]): string {
  return signatures(tools, (name, input) => `tools${memberOf(name)}(${input})`)
}

/** Formats graphs as calls of `graph_run`, in the same form. */
export function graphSignatures(graphs: readonly CodeTool[]): string {
  return signatures(graphs, (name, input) => {
    const given = input === '' ? '' : `, input: ${input}`
    return `graph_run({ graph: ${JSON.stringify(name)}${given} })`
  })
}

function signatures(all: readonly CodeTool[], call: (name: string, input: string) => string): string {
  return all
    .map(({ name, description, inputSchema, outputSchema }) => {
      const about = oneLine(description, DESCRIPTION_MAX)
      const signature = `${call(name, inputOf(inputSchema))}: Promise<${outputOf(outputSchema)}>`
      return about === '' ? signature : `// ${about}\n${signature}`
    })
    .join('\n')
}

/** A description on one line. What is too long ends at a word. */
function oneLine(text: Json | undefined, most: number): string {
  if (typeof text !== 'string') return ''
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length <= most ? line : `${line.slice(0, line.lastIndexOf(' ', most))} …`
}

/** Limits of a value that its type does not tell, in the words of JSON Schema. */
const LIMITS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'default',
] as const

function limitsOf(schema: Json | undefined): string {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return ''
  const given = schema as Schema
  return LIMITS.filter((name) => given[name] !== undefined)
    .map((name) => `${name} ${JSON.stringify(given[name])}`)
    .join(', ')
}

/** Returns the member access for a name: `.name`, or brackets if the name is not an identifier. */
function memberOf(name: string): string {
  return isWord(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

function isWord(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name)
}

function inputOf(schema: Json): string {
  const type = typeOf(schema, DEPTH_MAX)
  return type === '{}' ? '' : type
}

/** A JSON Schema as a TypeScript type. */
export function schemaType(schema: Json): string {
  return typeOf(schema, DEPTH_MAX)
}

/** Returns the output type of a schema. An object schema without details is `any`. */
function outputOf(schema: Json | undefined): string {
  const type = typeOf(schema, DEPTH_MAX)
  return type === '{}' ? 'any' : type
}

/** Converts a JSON Schema to a TypeScript type, in the detail that a caller needs. Anything else becomes `any`. */
function typeOf(schema: Json | undefined, depth: number): string {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema) || depth === 0) return 'any'
  const given = schema as Schema
  if ('const' in given) return JSON.stringify(given['const'])
  if (Array.isArray(given['enum'])) return given['enum'].map((value) => JSON.stringify(value)).join(' | ')
  const either = given['anyOf'] ?? given['oneOf']
  if (Array.isArray(either)) return union(either.map((one) => typeOf(one, depth - 1)))
  const { type } = given
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...given, type: one }, depth)))
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return arrayOf(typeOf(given['items'], depth - 1))
    case 'object':
      return objectOf(given, depth)
    default:
      return given['properties'] === undefined ? 'any' : objectOf(given, depth)
  }
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function arrayOf(item: string): string {
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`
}

function objectOf(schema: Schema, depth: number): string {
  const properties = Object.entries((schema['properties'] ?? {}) as Schema)
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  if (properties.length === 0) {
    const more = schema['additionalProperties']
    return typeof more === 'object' && more !== null ? `{ [key: string]: ${typeOf(more, depth - 1)} }` : '{}'
  }
  const members = properties.map(([name, member]) => {
    const mark = required.includes(name) ? '' : '?'
    const told = oneLine((member as Schema | null)?.['description'], MEMBER_DESCRIPTION_MAX)
    const about = [told, limitsOf(member)]
      .filter((text) => text !== '')
      .join('; ')
      .replaceAll('*/', '* /')
    const type = `${isWord(name) ? name : JSON.stringify(name)}${mark}: ${typeOf(member, depth - 1)}`
    return about === '' ? type : `${type} /* ${about} */`
  })
  return `{ ${members.join(', ')} }`
}
