import { type Json, type JsonObject, MandateError, messageOf, toPlain } from '../core/index.ts'
import { pathText, shown } from './shown.ts'
import { jsonSchemaCheck } from './json-schema/json-schema.ts'
import { type StandardSchema, isStandardSchema, standardJsonSchema } from './standard-schema.ts'
import type { ValidationIssue, ValidationResult } from './tool.ts'
import { parsedBy, standardCheck } from './standard-check.ts'

/** A schema of any accepted kind, read. */
export interface ReadSchema {
  readonly inputSchema: JsonObject
  validate(input: Json): ValidationResult | Promise<ValidationResult>
  /** Makes what the tool expects of a validated input. */
  parse(input: Json): unknown
  readonly unvalidated?: true
  readonly opaqueSchema?: true
}

const ANY_OBJECT: JsonObject = Object.freeze({ type: 'object', additionalProperties: true })
/** Deeper inputs are no honest ones, and could exhaust the stack of whatever walks them. */
const DEPTH_MAX = 100
const COMBINING = ['$ref', 'anyOf', 'oneOf', 'allOf', 'if']

/** Reads a schema: Standard Schema, the AI SDK's `jsonSchema(...)`, plain JSON Schema, or none at all. */
export function readSchema(given: unknown, tool: string): ReadSchema {
  if (given === undefined) return { inputSchema: ANY_OBJECT, validate: acceptObject, parse: same, unvalidated: true }
  if (isStandardSchema(given)) {
    const told = standardJsonSchema(given)
    return {
      inputSchema: told === undefined ? ANY_OBJECT : objectSchema(told, tool),
      validate: guarded((input) => standardCheck(given, input)),
      parse: (input) => parsedBy(given, input, tool),
      ...(told === undefined ? { opaqueSchema: true } : {}),
    }
  }
  if (typeof given === 'function') return readSchema(callLazy(given as () => unknown, tool), tool)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid(
      tool,
      `is ${shown(toPlain(given).value)}`,
      'Give a JSON Schema object or a Standard Schema (zod, valibot, ArkType).',
    )
  }
  if ('jsonSchema' in given) return readWrapped(given, tool)
  const loose = Object.entries(given).find(([, member]) => isStandardSchema(member))
  if (loose !== undefined) {
    throw invalid(
      tool,
      `holds a schema under "${loose[0]}" but is none itself`,
      'Wrap the members in an object schema, e.g. `z.object({ ... })`.',
    )
  }
  const inputSchema = objectSchema(toPlain(given).value as JsonObject, tool)
  return { inputSchema, validate: guarded(jsonSchemaCheck(inputSchema, `tool "${tool}"`)), parse: same }
}

/** What the AI SDK's `jsonSchema()` and its kind give. */
interface WrappedSchema {
  readonly jsonSchema: unknown
  readonly validate?: ((value: unknown) => unknown) | undefined
}

function readWrapped(given: WrappedSchema, tool: string): ReadSchema {
  const told = given.jsonSchema
  if (typeof told !== 'object' || told === null || 'then' in told) {
    throw invalid(tool, 'wraps a schema that is not there yet', 'Await it and give the JSON Schema object itself.')
  }
  const { validate } = given
  if (validate === undefined) return readSchema(told, tool)
  // Its own check may know more than the JSON Schema can say, so it is the one that counts.
  const standard: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'wrapped',
      jsonSchema: { input: () => told },
      validate: async (value) => {
        const result = (await validate(value)) as { success?: unknown; value?: unknown; error?: unknown }
        return result.success === true ? { value: result.value } : { issues: [{ message: messageOf(result.error) }] }
      },
    },
  }
  return readSchema(standard, tool)
}

function callLazy(lazy: () => unknown, tool: string): unknown {
  try {
    return lazy()
  } catch (cause) {
    throw invalid(tool, `is a function that failed: ${messageOf(cause)}`, 'Give the schema itself.')
  }
}

/** Providers accept only objects as the input of a tool. */
function objectSchema(schema: JsonObject, tool: string): JsonObject {
  const type = schema['type']
  for (const field of ['properties', 'required'] as const) checkField(schema, field, tool)
  if (type === 'object') return schema
  if (type !== undefined)
    throw invalid(tool, `has the type ${shown(type)}`, 'The input of a tool is an object: use `type: "object"`.')
  return COMBINING.some((keyword) => keyword in schema) ? schema : { type: 'object', ...schema }
}

function checkField(schema: JsonObject, field: 'properties' | 'required', tool: string): void {
  const value = schema[field]
  const fits =
    field === 'required' ? Array.isArray(value) : typeof value === 'object' && value !== null && !Array.isArray(value)
  if (value !== undefined && !fits) {
    throw invalid(
      tool,
      `has \`${field}\`: ${shown(value)}`,
      `\`${field}\` is ${field === 'required' ? 'a list of names' : 'an object of schemas'}.`,
    )
  }
}

function invalid(tool: string, what: string, fix: string): MandateError {
  return new MandateError('CONFIG_INVALID', `Tool "${tool}": \`inputSchema\` ${what}. ${fix}`)
}

function same(input: Json): unknown {
  return input
}

function acceptObject(input: Json): ValidationResult {
  const issue = objectIssue(input) ?? protoIssue(input, [])
  return issue === undefined ? { valid: true, value: input } : { valid: false, issues: [issue] }
}

/** Every check begins with what no schema can say. */
function guarded(check: ReadSchema['validate']): ReadSchema['validate'] {
  return (input) => {
    const issue = objectIssue(input) ?? protoIssue(input, [])
    return issue === undefined ? check(input) : { valid: false, issues: [issue] }
  }
}

function objectIssue(input: Json): ValidationIssue | undefined {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return isObject ? undefined : { path: '', message: `expected an object, given ${shown(input)}` }
}

/** Copying a member named `__proto__` into another object would change that object's prototype; no honest input has one. */
function protoIssue(value: Json, keys: (string | number)[]): ValidationIssue | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (keys.length > DEPTH_MAX) return { path: '', message: `it is nested deeper than ${DEPTH_MAX}` }
  const isItems = Array.isArray(value)
  for (const key of Object.keys(value)) {
    const member = (value as JsonObject)[key]!
    const isName = !isItems && key === '__proto__'
    if (!isName && (typeof member !== 'object' || member === null)) continue
    keys.push(isItems ? Number(key) : key)
    if (isName) return { path: pathText(keys), message: 'this name is not allowed' }
    const issue = protoIssue(member, keys)
    if (issue !== undefined) return issue
    keys.pop()
  }
  return undefined
}
