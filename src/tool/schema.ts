import { type Json, type JsonObject, isRecord, toPlain } from '../core/index.ts'
import { pathText, shown } from './shown.ts'
import { jsonSchemaCheck } from './json-schema/json-schema.ts'
import { type SchemaPlace, badSchema, schemaSource } from './libraries/schema-source.ts'
import type { ValidationIssue, ValidationResult } from './tool.ts'
import {
  type Decoded,
  decodeAny,
  decodedBy,
  isAsynchronous,
  parsedBy,
  placedSchema,
  standardCheck,
} from './libraries/standard-check.ts'

/** A schema of any accepted kind, read. */
export interface ReadSchema {
  readonly inputSchema: JsonObject
  validate(input: Json): ValidationResult | Promise<ValidationResult>
  /** Converts a validated input to what the tool expects. */
  parse(input: Json): unknown
  /** Validates an input and converts the schema's output to plain data, including transforms. */
  decode(input: Json): ValidationResult | Promise<ValidationResult>
  readonly unvalidated?: true
}

const ANY_OBJECT: JsonObject = Object.freeze({ type: 'object', additionalProperties: true })
/** Deeper inputs are not legitimate, and could overflow the stack of recursive functions. */
const DEPTH_MAX = 100
const COMBINING = ['$ref', 'anyOf', 'oneOf', 'allOf', 'if']

/** Reads the schema of an input, of any accepted kind or absent. */
export function readSchema(given: unknown, place: SchemaPlace): ReadSchema {
  if (given === undefined)
    return { inputSchema: ANY_OBJECT, validate: acceptObject, decode: acceptObject, parse: same, unvalidated: true }
  const { told, standard } = schemaSource(given, place, 'input')
  const inputSchema = objectSchema(told, place)
  if (standard === undefined) {
    const validate = guarded(jsonSchemaCheck(inputSchema, ownerOf(place)))
    return { inputSchema, validate, decode: validate, parse: same }
  }
  const schema = placedSchema(standard, place, isAsynchronous(standard))
  const patient = placedSchema(standard, place, true)
  return {
    inputSchema,
    validate: guarded((input) => standardCheck(schema, input)),
    decode: guarded((input) => decodedBy(patient, input)),
    parse: (input) => parsedBy(schema, input, place.owner),
  }
}

/** The schema of a result, read. */
export interface ReadOutputSchema {
  readonly outputSchema: JsonObject
  /** The output of the schema for a result, or its issues. */
  decode(value: unknown): Decoded | Promise<Decoded>
}

/**
 * Reads the schema of a result. It may describe any value, not only objects, and its output is kept as it is. `side` selects which side of its
 * transforms the JSON Schema describes: the output, or, if a client provides the result, the input.
 */
export function readOutputSchema(
  given: unknown,
  place: SchemaPlace,
  side: 'input' | 'output' = 'output',
): ReadOutputSchema {
  const { told, standard } = schemaSource(given, place, side)
  if (standard !== undefined) {
    const schema = placedSchema(standard, place, true)
    return { outputSchema: told, decode: (value) => decodeAny(schema, value) }
  }
  const check = jsonSchemaCheck(told, ownerOf(place))
  return {
    outputSchema: told,
    decode: (value) => {
      const result = check(toPlain(value).value)
      return result.valid ? { value } : { issues: result.issues }
    },
  }
}

/** The owner of a schema in messages of its JSON Schema check. */
function ownerOf({ owner }: SchemaPlace): string {
  return `${owner.charAt(0).toLowerCase()}${owner.slice(1)}`
}

/** Requires an object schema: providers accept only objects as the input of a tool. */
function objectSchema(schema: JsonObject, place: SchemaPlace): JsonObject {
  const type = schema['type']
  for (const field of ['properties', 'required'] as const) checkField(schema, field, place)
  if (type === 'object') return schema
  if (type !== undefined)
    throw badSchema(place, `has the type ${shown(type)}`, 'It must be the schema of an object: use `type: "object"`.')
  return COMBINING.some((keyword) => keyword in schema) ? schema : { type: 'object', ...schema }
}

function checkField(schema: JsonObject, field: 'properties' | 'required', place: SchemaPlace): void {
  const value = schema[field]
  const fits = field === 'required' ? Array.isArray(value) : isRecord(value)
  if (value !== undefined && !fits) {
    throw badSchema(
      place,
      `has \`${field}\`: ${shown(value)}`,
      `\`${field}\` is ${field === 'required' ? 'a list of names' : 'an object of schemas'}.`,
    )
  }
}

function same(input: Json): unknown {
  return input
}

function acceptObject(input: Json): ValidationResult {
  const issue = objectIssue(input) ?? protoIssue(input, [])
  return issue === undefined ? { valid: true, value: input } : { valid: false, issues: [issue] }
}

/** Adds the checks that no schema can express. */
function guarded(check: ReadSchema['validate']): ReadSchema['validate'] {
  return (input) => {
    const issue = objectIssue(input) ?? protoIssue(input, [])
    return issue === undefined ? check(input) : { valid: false, issues: [issue] }
  }
}

function objectIssue(input: Json): ValidationIssue | undefined {
  return isRecord(input) ? undefined : { path: '', message: `expected an object, given ${shown(input)}` }
}

/** Refuses a member named `__proto__`: copying it into another object would change that object's prototype, and no legitimate input has one. */
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
