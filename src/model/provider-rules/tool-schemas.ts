import { canonical, isRecord } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { ToolSpec } from '../model.ts'

/** Keywords that providers refuse at the top of a tool's schema, with a 400 for the whole request. */
const REFUSED = ['allOf', 'anyOf', 'oneOf', 'not', 'enum', 'const', 'if', 'then', 'else', '$ref'] as const

/**
 * The tool with a schema that providers accept: an object with properties at its top. What its alternatives, conditions and exceptions say is told in
 * words; the real schema is checked when the model calls the tool.
 */
export function acceptedTool(tool: ToolSpec): ToolSpec {
  const schema = tool.inputSchema
  if (!isRecord(schema)) return { ...tool, inputSchema: { type: 'object', properties: {} } }
  if (schema['type'] === 'object' && isRecord(schema['properties']) && !REFUSED.some((name) => name in schema))
    return tool
  return { ...tool, inputSchema: topObject(schema) }
}

interface Form {
  readonly properties: { readonly [name: string]: Json }
  readonly required: readonly string[]
  readonly isClosed: boolean
}

function topObject(schema: JsonObject): JsonObject {
  const rest = Object.entries(schema).filter(([name]) => !(REFUSED as readonly string[]).includes(name))
  const told = Object.entries(schema).filter(
    ([name]) => name !== '$ref' && name !== 'allOf' && (REFUSED as readonly string[]).includes(name),
  )
  const { properties, required, isClosed } = formOf(schema, schema, 0)
  const note = told.length === 0 ? '' : `The whole must also fit: ${canonical(Object.fromEntries(told))}`
  const about = schema['description']
  const description = [typeof about === 'string' ? about : '', note].filter((text) => text !== '').join(' ')
  return {
    ...Object.fromEntries(rest),
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required: [...required] }),
    ...(isClosed ? { additionalProperties: false } : {}),
    ...(description === '' ? {} : { description }),
  }
}

/** What one object may have that fits the schema: for alternatives, the members of all, of which those are required that each requires. */
function formOf(schema: JsonObject, root: JsonObject, depth: number): Form {
  const target = refersTo(schema, root)
  if (target !== undefined && depth < 8) return formOf(target, root, depth + 1)
  let form: Form = {
    properties: isRecord(schema['properties']) ? schema['properties'] : {},
    required: Array.isArray(schema['required']) ? (schema['required'] as string[]) : [],
    isClosed: schema['additionalProperties'] === false,
  }
  if (depth >= 8) return form
  for (const part of listOf(schema['allOf'])) form = both(form, formOf(part, root, depth + 1))
  for (const name of ['anyOf', 'oneOf']) {
    const forms = listOf(schema[name]).map((part) => formOf(part, root, depth + 1))
    if (forms.length > 0) form = both(form, forms.reduce(either))
  }
  return form
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter((item): item is JsonObject => isRecord(item)) : []
}

/** The target of a reference inside the same schema. */
function refersTo(schema: JsonObject, root: JsonObject): JsonObject | undefined {
  const ref = schema['$ref']
  if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined
  let target: Json | undefined = root
  for (const step of ref
    .slice(1)
    .split('/')
    .filter((name) => name !== ''))
    target = isRecord(target) ? target[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  return isRecord(target) ? target : undefined
}

function both(a: Form, b: Form): Form {
  return {
    properties: joined(a.properties, b.properties),
    required: [...new Set([...a.required, ...b.required])],
    isClosed: a.isClosed || b.isClosed,
  }
}

function either(a: Form, b: Form): Form {
  return {
    properties: joined(a.properties, b.properties),
    required: a.required.filter((name) => b.required.includes(name)),
    isClosed: a.isClosed && b.isClosed,
  }
}

function joined(a: Form['properties'], b: Form['properties']): Form['properties'] {
  const all: Record<string, Json> = { ...a }
  for (const [name, schema] of Object.entries(b)) all[name] = name in all ? anyOf(all[name]!, schema) : schema
  return all
}

/** A schema for a value that fits one of two. Constants of one type, such as the names of variants, become one list. */
function anyOf(a: Json, b: Json): Json {
  if (canonical(a) === canonical(b)) return a
  const constants = [a, b].map((schema) => (isRecord(schema) ? constantsOf(schema) : undefined))
  if (constants.every((list) => list !== undefined)) return { type: 'string', enum: [...new Set(constants.flat())] }
  const known = isRecord(a) ? listOf(a['anyOf']) : []
  return { anyOf: known.length > 0 ? [...known, b] : [a, b] }
}

function constantsOf(schema: JsonObject): readonly string[] | undefined {
  const values = 'const' in schema ? [schema['const']] : schema['enum']
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) return undefined
  return values
}
