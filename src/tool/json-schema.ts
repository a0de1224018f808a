import type * as jsonSchema from '@cfworker/json-schema'
import { type Json, type JsonObject, MandateError, messageOf } from '../core/index.ts'
import { ISSUES_MAX, pathText, shown, valueAt } from './issues.ts'
import type { ValidationIssue, ValidationResult } from './tool.ts'

type Check = (input: Json) => readonly jsonSchema.OutputUnit[]

let library: Promise<typeof jsonSchema> | undefined

/**
 * Checks inputs against a JSON Schema (drafts 4, 7, 2019-09, 2020-12; the last when it does not say). The validator generates no code;
 * it is loaded at the first check and the schema is prepared once. References to other documents are refused, never fetched.
 */
export function jsonSchemaCheck(schema: JsonObject, owner: string): (input: Json) => Promise<ValidationResult> {
  let check: Promise<Check> | undefined
  return async (input) => {
    check ??= prepare(schema, owner)
    const units = (await check)(input)
    if (units.length === 0) return { valid: true, value: input }
    const issues = units.flatMap((unit) => issueOf(unit, schema, input))
    return { valid: false, issues: distinct(issues.length > 0 ? issues : [{ path: '', message: units[0]!.error }]) }
  }
}

async function prepare(schema: JsonObject, owner: string): Promise<Check> {
  library ??= import('@cfworker/json-schema')
  const { Validator } = await library
  const refused = (cause: unknown): MandateError =>
    new MandateError('SCHEMA_INVALID', `The input schema of ${owner} cannot be used: ${messageOf(cause)}`, { cause })
  let validator: InstanceType<typeof Validator>
  try {
    // A copy, because the validator writes marks into the schema it is given.
    validator = new Validator(structuredClone(schema), draftOf(schema), false)
  } catch (cause) {
    throw refused(cause)
  }
  return (input) => {
    try {
      return validator.validate(input).errors
    } catch (cause) {
      throw refused(cause)
    }
  }
}

function draftOf(schema: JsonObject): jsonSchema.SchemaDraft {
  const said = typeof schema['$schema'] === 'string' ? schema['$schema'] : ''
  if (said.includes('draft-04')) return '4'
  if (said.includes('draft-06') || said.includes('draft-07')) return '7'
  return said.includes('2019-09') ? '2019-09' : '2020-12'
}

/** Keywords whose error only says that something below failed; the errors below say what. */
const CONTAINERS = new Set([
  ...[
    '$ref',
    '$recursiveRef',
    'allOf',
    'properties',
    'patternProperties',
    'items',
    'prefixItems',
    'additionalItems',
    'if',
  ],
  ...['dependentSchemas', 'propertyNames', 'false'],
])

function issueOf(unit: jsonSchema.OutputUnit, schema: JsonObject, input: Json): readonly ValidationIssue[] {
  if (CONTAINERS.has(unit.keyword)) return []
  const keys = keysOf(unit.instanceLocation)
  const given = `given ${shown(valueAt(input, keys))}`
  const at = (message: string): ValidationIssue[] => [{ path: pathText(keys), message }]
  const below = (key: string, message: string): ValidationIssue[] => [{ path: pathText([...keys, key]), message }]
  const named = /"(.*)"/s.exec(unit.error)?.[1] ?? ''
  const wanted = schemaAt(schema, unit.keywordLocation)
  switch (unit.keyword) {
    case 'type':
      return at(`expected ${namesOf(wanted)}, ${given}`)
    case 'required':
      return below(named, 'is required and was not given')
    case 'enum':
      return at(`expected one of ${shown(wanted)}, ${given}`)
    case 'const':
      return at(`expected ${shown(wanted)}, ${given}`)
    case 'pattern':
      return at(`expected text that matches /${typeof wanted === 'string' ? wanted : ''}/, ${given}`)
    case 'format':
      return at(`expected the format ${shown(wanted)}, ${given}`)
    case 'anyOf':
    case 'oneOf':
      return at(
        `fits ${unit.keyword === 'anyOf' ? 'none' : 'none, or more than one,'} of the allowed alternatives, ${given}`,
      )
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = /^Property "(.*)" does not match/s.exec(unit.error)?.[1] ?? ''
      return wanted === false ? below(key, `is not known${knownMembers(schema, unit.keywordLocation)}`) : []
    }
    default:
      return at(`${unit.error.replace(/\s+/g, ' ').replace(/\.$/, '')}, ${given}`)
  }
}

function knownMembers(schema: JsonObject, location: string): string {
  const parent = schemaAt(schema, location.slice(0, location.lastIndexOf('/')))
  const properties = typeof parent === 'object' && parent !== null ? (parent as JsonObject)['properties'] : undefined
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  return names.length === 0 ? '' : `; known are ${names.slice(0, 20).join(', ')}`
}

function namesOf(types: Json | undefined): string {
  return Array.isArray(types) ? types.join(' or ') : typeof types === 'string' ? types : 'another type'
}

/** Finds what a keyword says, following local references on the way as the validator did. */
function schemaAt(schema: JsonObject, location: string): Json | undefined {
  let at: Json | undefined = schema
  for (const key of keysOf(location)) {
    const next: Json | undefined = at === undefined ? undefined : valueAt(at, [key])
    at = key === '$ref' && typeof next === 'string' && next.startsWith('#') ? valueAt(schema, keysOf(next)) : next
  }
  return at
}

function keysOf(pointer: string): string[] {
  const keys = pointer.replace(/^#/, '').split('/').slice(1)
  return keys.map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function distinct(issues: readonly ValidationIssue[]): readonly ValidationIssue[] {
  const byText = new Map(issues.map((issue) => [`${issue.path}\n${issue.message}`, issue]))
  return [...byText.values()].slice(0, ISSUES_MAX)
}
