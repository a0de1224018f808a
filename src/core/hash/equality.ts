import type { Json, JsonObject } from '../json.ts'

/** Whether two values have the same canonical JSON, without serializing them. */
export function isSame(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]!))
  return !isList(b) && hasSameMembers(a, b)
}

/** Compares members; one that is `undefined` counts as absent. */
function hasSameMembers(a: JsonObject, b: JsonObject): boolean {
  let left = 0
  for (const key of Object.keys(b)) if (b[key] !== undefined) left += 1
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue
    if (!Object.hasOwn(b, key) || !isSame(a[key], b[key]!)) return false
    left -= 1
  }
  return left === 0
}

/** `Array.isArray`, for read-only lists. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}
