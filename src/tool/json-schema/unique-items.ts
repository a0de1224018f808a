import { type Json, type JsonObject, canonical } from '../../core/index.ts'
import { pathText } from '../shown.ts'
import type { ValidationIssue } from '../tool.ts'

/** Up to this length the validator's comparison of all pairs is fast. */
const QUICK_MAX = 1_000
/** Longer lists are refused: the check is quadratic. */
const SLOW_MAX = 5_000

/** Whether a schema requires unique items anywhere. */
export function asksForUnique(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  if (!Array.isArray(schema) && (schema as JsonObject)['uniqueItems'] === true) return true
  return Object.values(schema).some((member) => asksForUnique(member as Json))
}

/** The same schema without that requirement. */
export function withoutUnique(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(withoutUnique)
  const kept = Object.entries(schema).filter(([key, member]) => key !== 'uniqueItems' || member !== true)
  return Object.fromEntries(
    kept.map(([key, member]) => [key, key === 'const' || key === 'enum' ? member : withoutUnique(member)]),
  )
}

/**
 * How to check an input with long lists: `compare` if the lists are short, `skip` if all items of all lists differ (compared by their text, in one
 * pass), and an issue if neither holds and comparing would take minutes.
 */
export function planUnique(input: Json): 'compare' | 'skip' | ValidationIssue {
  const longest = longestList(input, [])
  if (longest.length <= QUICK_MAX) return 'compare'
  if (areAllDistinct(input)) return 'skip'
  if (longest.length <= SLOW_MAX) return 'compare'
  const message = `has ${longest.length} items, some lists repeat items, and at most ${SLOW_MAX} can be compared`
  return { path: pathText(longest.keys), message }
}

interface FoundList {
  readonly keys: readonly (string | number)[]
  readonly length: number
}

function longestList(value: Json, keys: readonly (string | number)[]): FoundList {
  let longest: FoundList = { keys, length: Array.isArray(value) ? value.length : 0 }
  if (typeof value !== 'object' || value === null) return longest
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== 'object' || member === null) continue
    const below = longestList(member, [...keys, key])
    if (below.length > longest.length) longest = below
  }
  return longest
}

function areAllDistinct(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value) && new Set((value as readonly Json[]).map(canonical)).size < value.length) return false
  return Object.values(value).every((member) => areAllDistinct(member as Json))
}
