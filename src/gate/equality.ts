import type { Json, JsonObject } from '../core/index.ts'

/** Whether two values have the same canonical spelling, without spelling them out. */
export function isSame(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]!))
  if (isList(b)) return false
  const present = (value: JsonObject): string[] => Object.keys(value).filter((key) => value[key] !== undefined)
  const keys = present(a)
  return keys.length === present(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key]!, b[key]!))
}

/** `Array.isArray`, for read-only lists. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}
