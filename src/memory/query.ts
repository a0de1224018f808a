import { type Json, MandateError, canonical } from '../core/index.ts'
import type { DatabaseQuery } from './clients.ts'

type Test = (actual: Json | undefined, wanted: Json) => boolean

const TESTS: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['$eq', isSame],
  ['$ne', (actual, wanted) => !isSame(actual, wanted)],
  ['$gt', (actual, wanted) => isOrdered(actual, wanted, (sign) => sign > 0)],
  ['$gte', (actual, wanted) => isOrdered(actual, wanted, (sign) => sign >= 0)],
  ['$lt', (actual, wanted) => isOrdered(actual, wanted, (sign) => sign < 0)],
  ['$lte', (actual, wanted) => isOrdered(actual, wanted, (sign) => sign <= 0)],
  ['$in', (actual, wanted) => Array.isArray(wanted) && wanted.some((one: Json) => isSame(actual, one))],
  ['$contains', contains],
  ['$exists', (actual, wanted) => (actual !== undefined) === wanted],
])

/** Whether a value fits a query: every named field equals its value, or passes its comparisons. An unknown comparison is an error. */
export function matchesQuery(value: Json, query: DatabaseQuery): boolean {
  return Object.entries(query).every(([field, wanted]) => {
    const actual = fieldOf(value, field)
    if (!isComparison(wanted)) return isSame(actual, wanted)
    return Object.entries(wanted).every(([name, operand]) => {
      const test = TESTS.get(name)
      if (test !== undefined) return test(actual, operand)
      throw new MandateError(
        'INPUT_INVALID',
        `"${name}" on "${field}" is not a comparison. Use one of: ${[...TESTS.keys()].join(', ')}.`,
      )
    })
  })
}

/** The member at a dotted path; own members only. */
export function fieldOf(value: Json, path: string): Json | undefined {
  let at: Json | undefined = value
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as { readonly [key: string]: Json })[key]
  }
  return at
}

/** Orders values: nothing first, then numbers, then texts, then the rest as their JSON. */
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

/** Only numbers with numbers and texts with texts have an order worth asking about. */
function isOrdered(actual: Json | undefined, wanted: Json, fits: (sign: number) => boolean): boolean {
  const isNumbers = typeof actual === 'number' && typeof wanted === 'number'
  const isTexts = typeof actual === 'string' && typeof wanted === 'string'
  return (isNumbers || isTexts) && fits(compareJson(actual, wanted))
}

function contains(actual: Json | undefined, wanted: Json): boolean {
  if (typeof actual === 'string') return typeof wanted === 'string' && actual.includes(wanted)
  return Array.isArray(actual) && actual.some((item: Json) => isSame(item, wanted))
}
