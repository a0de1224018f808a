import { type Json, MandateError, canonical } from '../core/index.ts'
import type { Comparison, DatabaseQuery } from './clients.ts'

/** One condition on a field. */
export interface Condition {
  /** A dotted path. */
  readonly field: string
  readonly op: keyof Comparison
  readonly operand: Json
}

type Test = (actual: Json | undefined, wanted: Json) => boolean

const TESTS: Readonly<Record<keyof Comparison, Test>> = {
  $eq: isSame,
  $ne: (actual, wanted) => !isSame(actual, wanted),
  $gt: (actual, wanted) => isOrdered(actual, wanted, (sign) => sign > 0),
  $gte: (actual, wanted) => isOrdered(actual, wanted, (sign) => sign >= 0),
  $lt: (actual, wanted) => isOrdered(actual, wanted, (sign) => sign < 0),
  $lte: (actual, wanted) => isOrdered(actual, wanted, (sign) => sign <= 0),
  $in: (actual, wanted) => Array.isArray(wanted) && wanted.some((one: Json) => isSame(actual, one)),
  $contains: contains,
  $exists: (actual, wanted) => (actual !== undefined) === wanted,
}

/** A query as a list of conditions, all of which must hold. Throws on an unknown comparison. */
export function conditionsOf(query: DatabaseQuery): readonly Condition[] {
  return Object.entries(query).flatMap(([field, wanted]) => {
    if (!isComparison(wanted)) return [{ field, op: '$eq' as const, operand: wanted }]
    return Object.entries(wanted).map(([op, operand]) => {
      checkOperand(op, operand, field)
      return { field, op: knownOp(op, field), operand }
    })
  })
}

/** A comparison that can never hold would find nothing, without a word. */
function checkOperand(op: string, operand: Json, field: string): void {
  const isWrong = (op === '$in' && !Array.isArray(operand)) || (op === '$exists' && typeof operand !== 'boolean')
  if (isWrong)
    throw new MandateError('INPUT_INVALID', `"${op}" on "${field}" takes ${op === '$in' ? 'a list' : 'true or false'}.`)
}

function knownOp(op: string, field: string): keyof Comparison {
  if (Object.hasOwn(TESTS, op)) return op as keyof Comparison
  throw new MandateError(
    'INPUT_INVALID',
    `"${op}" on "${field}" is not a comparison. Use one of: ${Object.keys(TESTS).join(', ')}.`,
  )
}

/** Whether all conditions hold for a value. */
export function meets(value: Json, conditions: readonly Condition[]): boolean {
  return conditions.every(({ field, op, operand }) => TESTS[op](fieldOf(value, field), operand))
}

/** The member at a dotted path; own members only. */
export function fieldOf(value: Json, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>(memberOf, value)
}

/** An own member of a value: no name leads to a prototype. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, Json>>)[name]
}

/** Orders values: missing ones first, then numbers, then texts, then the rest by their JSON. */
export function compareJson(a: Json | undefined, b: Json | undefined): number {
  const rank = rankOf(a) - rankOf(b)
  if (rank !== 0) return rank
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = typeof a === 'string' ? [a, b as string] : [canonical(a ?? null), canonical(b ?? null)]
  return left < right ? -1 : left > right ? 1 : 0
}

function rankOf(value: Json | undefined): number {
  return value === undefined ? 0 : typeof value === 'number' ? 1 : typeof value === 'string' ? 2 : 3
}

function isComparison(wanted: unknown): wanted is object {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return false
  const keys = Object.keys(wanted)
  return keys.length > 0 && keys.every((key) => key.startsWith('$'))
}

function isSame(actual: Json | undefined, wanted: Json): boolean {
  return (
    actual === wanted || (actual !== undefined && typeof actual === 'object' && canonical(actual) === canonical(wanted))
  )
}

/** Only two numbers or two texts are ordered. */
function isOrdered(actual: Json | undefined, wanted: Json, fits: (sign: number) => boolean): boolean {
  const isNumbers = typeof actual === 'number' && typeof wanted === 'number'
  const isTexts = typeof actual === 'string' && typeof wanted === 'string'
  return (isNumbers || isTexts) && fits(compareJson(actual, wanted))
}

function contains(actual: Json | undefined, wanted: Json): boolean {
  if (typeof actual === 'string') return typeof wanted === 'string' && actual.includes(wanted)
  return Array.isArray(actual) && actual.some((item: Json) => isSame(item, wanted))
}
