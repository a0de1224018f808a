import { type SchemaDraft, Validator, format as known } from '@cfworker/json-schema'
import { type Json, type JsonObject, MandateError, messageOf } from '../../core/index.ts'
import { messageText } from './issue-text.ts'
import { pathText } from '../shown.ts'
import { withoutDynamic } from './dynamic-refs.ts'
import { type OutputUnit, issuesOf } from './schema-issues.ts'
import { type Formats, PATTERN_NAME_MAX, withoutPatterns } from './schema-patterns.ts'
import { asksForUnique, planUnique, withoutUnique } from './unique-items.ts'
import type { ValidationIssue, ValidationResult } from '../tool.ts'

type Check = (input: Json, isBrief: boolean) => readonly OutputUnit[]

/** Checks an input. If `isBrief`, it stops at the first problem: a large input may have a hundred thousand. */
type JsonSchemaCheck = (input: Json, isBrief?: boolean) => ValidationResult

interface Prepared {
  readonly schema: JsonObject
  readonly check: Check
  /** The same without comparing items; absent if the schema does not require unique items. */
  readonly checkRest: Check | undefined
  readonly hasNamePatterns: boolean
}

/**
 * Validates inputs by a JSON Schema (drafts 4, 7, 2019-09, 2020-12; the last by default). Known formats are asserted. The validator generates no
 * code, and the schema is prepared once, with the first check. References to other documents are refused, never fetched.
 */
export function jsonSchemaCheck(schema: JsonObject, owner: string): JsonSchemaCheck {
  let prepared: Prepared | undefined
  return (input, isBrief = false) => {
    prepared ??= prepare(schema, owner)
    const { schema: used, check, checkRest, hasNamePatterns } = prepared
    const plan = checkRest === undefined ? 'compare' : planUnique(input)
    const issue = typeof plan === 'object' ? plan : badName(input, hasNamePatterns)
    if (issue !== undefined) return { valid: false, issues: [issue] }
    const units = (plan === 'skip' && checkRest !== undefined ? checkRest : check)(input, isBrief)
    return units.length === 0 ? { valid: true, value: input } : { valid: false, issues: issuesOf(units, used, input) }
  }
}

function prepare(given: JsonObject, owner: string): Prepared {
  const refused = (why: string, cause?: unknown): MandateError =>
    new MandateError('SCHEMA_INVALID', `The input schema of ${owner} cannot be used: ${why}`, { cause })
  const plain = withoutDynamic(given)
  if ('refused' in plain) throw refused(plain.refused)
  const attempt = <T>(work: () => T): T => {
    try {
      return work()
    } catch (cause) {
      throw refused(reasonOf(cause), cause)
    }
  }
  const { schema, formats, hasNamePatterns } = attempt(() => withoutPatterns(plain.schema))
  /** The validator has one global table of formats, which holds this package's only during a check. */
  const withFormats = <T>(work: () => T): T => {
    const table = known as Formats
    Object.assign(table, formats)
    try {
      return work()
    } finally {
      for (const name of Object.keys(formats)) delete table[name]
    }
  }
  const checkOf = (used: JsonObject): Check => {
    // Copies, because the validator adds members to the schema.
    const make = (isBrief: boolean): Validator =>
      attempt(() => new Validator(structuredClone(used), draftOf(used), isBrief))
    const validator = make(false)
    let brief: Validator | undefined
    return (input, isBrief) => {
      try {
        return withFormats(() => (isBrief ? (brief ??= make(true)) : validator).validate(input).errors)
      } catch (cause) {
        // A hundred thousand errors overflow the stack; then only the first error of each kind is collected. An infinitely recursive schema fails here, too.
        if (!(cause instanceof RangeError)) throw refused(reasonOf(cause), cause)
        return attempt(() => withFormats(() => make(true).validate(input).errors))
      }
    }
  }
  const rest = asksForUnique(schema) ? checkOf(withoutUnique(schema) as JsonObject) : undefined
  return { schema, check: checkOf(schema), checkRest: rest, hasNamePatterns }
}

/** The reason with the reference and the fix, because the validator's message lists all its references and has an internal base URL. */
function reasonOf(cause: unknown): string {
  const message = messageOf(cause)
  const ref = /^Unresolved \$ref "(.*?)"/s.exec(message)?.[1]
  if (ref === undefined) return messageText(message)
  return messageText(`$ref "${ref}" leads nowhere. Put what it names into the same schema, under $defs.`)
}

function draftOf(schema: JsonObject): SchemaDraft {
  const said = typeof schema['$schema'] === 'string' ? schema['$schema'] : ''
  if (said.includes('draft-04')) return '4'
  if (said.includes('draft-06') || said.includes('draft-07')) return '7'
  return said.includes('2019-09') ? '2019-09' : '2020-12'
}

/** A lone surrogate in a member name cannot be part of a pointer: the validator would fail as if the schema were wrong. */
function badName(value: Json, isMatched: boolean): ValidationIssue | undefined {
  const found = findName(value, (name) => !name.isWellFormed() || (isMatched && name.length > PATTERN_NAME_MAX))
  if (found === undefined) return undefined
  const [key] = found as [string]
  const path = pathText(found.slice(1).toReversed())
  if (!key.isWellFormed()) return { path, message: `the name ${JSON.stringify(key.slice(0, 40))} is not text` }
  return { path, message: `a name of ${key.length} characters is too long; at most ${PATTERN_NAME_MAX}` }
}

/** The first name that is bad, with the names of what it is in, from the inside out. The path is made only where one is found: values may be large. */
function findName(value: Json, isBad: (name: string) => boolean): string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const below = findName(value[index] as Json, isBad)
      if (below !== undefined) return [...below, String(index)]
    }
    return undefined
  }
  const members = value as JsonObject
  for (const key in members) {
    if (isBad(key)) return [key]
    const below = findName(members[key]!, isBad)
    if (below !== undefined) return [...below, key]
  }
  return undefined
}
