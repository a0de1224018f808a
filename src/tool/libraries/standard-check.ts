import { type Json, MandateError, isSame, messageOf, toPlain } from '../../core/index.ts'
import { ISSUES_MAX, messageText } from '../json-schema/issue-text.ts'
import { pathText } from '../shown.ts'
import type { StandardResult, StandardSchema } from '../standard-schema.ts'
import type { ValidationIssue, ValidationResult } from '../tool.ts'
import type { SchemaPlace } from './schema-source.ts'

/** The output of a schema, or its issues. */
export type Decoded = { readonly value: unknown } | { readonly issues: readonly ValidationIssue[] }

/** Runs the schema. Synchronous if the schema is, as most are: every tool call passes here twice. */
export function decodeAny(schema: StandardSchema, input: unknown): Decoded | Promise<Decoded> {
  const result = schema['~standard'].validate(input)
  return isLater(result) ? Promise.resolve(result).then(read) : read(result)
}

/** zod parses synchronously first and drops the promise of an asynchronous transform, whose rejection would end the process. */
interface AsyncParser {
  safeParseAsync(value: unknown): Promise<{ readonly data?: unknown; readonly error?: StandardResult<unknown> }>
}

const PARTS_MAX = 10_000

/**
 * Whether a zod schema must be parsed asynchronously: one with an `async` function in a transform or a refinement, and every one of zod 3. Functions
 * that it calls are not inspected.
 */
export function isAsynchronous(schema: StandardSchema): boolean {
  if (typeof (schema as Partial<AsyncParser>).safeParseAsync !== 'function') return false
  if (!('_zod' in schema)) return true
  const parts = new Set<unknown>([schema])
  for (const part of parts) {
    if (Object.prototype.toString.call(part) === '[object AsyncFunction]') return true
    if (typeof part !== 'object' || part === null || parts.size > PARTS_MAX) continue
    const { _zod: own = { def: part } } = part as { _zod?: { readonly def: object; readonly check?: unknown } }
    for (const value of [own.check, ...Object.values(own.def)]) parts.add(value)
  }
  return false
}

/**
 * A schema with a named owner: an exception of the schema's own code (a transform, a refinement) is reported as its failure, and not as an issue of
 * the value. With `later` it may always return a promise.
 */
export function placedSchema(schema: StandardSchema, { owner, field }: SchemaPlace, later = false): StandardSchema {
  const standard = schema['~standard']
  const failed = (cause: unknown): never => {
    const message = `${owner}: the code of its \`${field}\` threw: ${messageOf(cause)}. Fix the transform or refinement that threw; one that says what is wrong with a value reports an issue instead.`
    throw new MandateError('SCHEMA_FAILED', message, { cause })
  }
  const parser = schema as StandardSchema & Partial<AsyncParser>
  const validate: typeof standard.validate =
    later && typeof parser.safeParseAsync === 'function'
      ? async (value) => {
          const { data, error } = await (parser as AsyncParser).safeParseAsync(value)
          return error === undefined ? { value: data } : error
        }
      : (value) => standard.validate(value)
  return {
    '~standard': {
      ...standard,
      validate(value) {
        try {
          const result = validate(value)
          return isLater(result) ? result.catch(failed) : result
        } catch (cause) {
          return failed(cause)
        }
      },
    },
  }
}

function isLater<T>(result: T | Promise<T>): result is Promise<T> {
  return typeof (result as { then?: unknown }).then === 'function'
}

function read(result: StandardResult<unknown>): Decoded {
  if (result.issues === undefined) return { value: result.value }
  const issues = result.issues.slice(0, ISSUES_MAX).map((issue) => ({
    path: pathText((issue.path ?? []).map(keyOf)),
    message: messageText(issue.message),
  }))
  return { issues: issues.length > 0 ? issues : [{ path: '', message: messageText('') }] }
}

/**
 * Validates an input. The parsed value (with coercions and defaults, without dropped members) is used if it is plain data and parses to itself again;
 * for a schema with another output (a date, another shape) the input is kept, and the tool's `run` parses it when it is performed. Either way the
 * value can be journaled, and parsing it gives what the tool expects.
 */
export function standardCheck(schema: StandardSchema, input: Json): ValidationResult | Promise<ValidationResult> {
  const first = decodeAny(schema, input)
  return first instanceof Promise ? first.then((late) => settle(schema, input, late)) : settle(schema, input, first)
}

function settle(schema: StandardSchema, input: Json, first: Decoded): ValidationResult | Promise<ValidationResult> {
  if ('issues' in first) return { valid: false, issues: first.issues }
  const { value } = first
  // An unchanged input would parse to itself again.
  if (!isPlain(value) || isSame(value, input)) return { valid: true, value: input }
  const judge = (again: Decoded): ValidationResult => {
    const isStable = 'value' in again && isPlain(again.value) && isSame(again.value, value)
    return { valid: true, value: isStable ? toPlain(value).value : input }
  }
  const again = decodeAny(schema, value)
  return again instanceof Promise ? again.then(judge) : judge(again)
}

/** Validates an input and converts the schema's output to plain data. */
export function decodedBy(schema: StandardSchema, input: Json): ValidationResult | Promise<ValidationResult> {
  const decoded = decodeAny(schema, input)
  return decoded instanceof Promise ? decoded.then(plainly) : plainly(decoded)
}

function plainly(decoded: Decoded): ValidationResult {
  if ('issues' in decoded) return { valid: false, issues: decoded.issues }
  return { valid: true, value: toPlain(decoded.value).value }
}

function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === 'object' ? segment.key : segment
  return typeof key === 'symbol' ? String(key) : key
}

/** Whether a value is plain JSON, so that journaling it loses nothing. */
function isPlain(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth > 200) return false
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every((member) => member === undefined || isPlain(member, depth + 1))
}

/** The schema's output for an input that was validated. */
export function parsedBy(schema: StandardSchema, input: Json, owner: string): unknown {
  const parsed = decodeAny(schema, input)
  return parsed instanceof Promise ? parsed.then((late) => valueOf(late, owner)) : valueOf(parsed, owner)
}

function valueOf(parsed: Decoded, owner: string): unknown {
  if ('value' in parsed) return parsed.value
  const why = parsed.issues[0]?.message
  throw new MandateError('INPUT_INVALID', `${owner}: the input no longer fits its schema: ${why}`)
}
