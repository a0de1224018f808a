import type { Json, JsonObject } from './json.ts'

/** Deeply freezes plain data and returns it. A frozen value is assumed to be deeply frozen. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  // Plain data has only own keys, and `for … in` allocates no list of them.
  for (const key in value) freezeDeep(value[key])
  return value
}

/** Returns the data itself if it is deeply frozen, otherwise a frozen copy. */
export function frozenCopy(value: Json): Json {
  if (typeof value !== 'object' || value === null || isFrozenDeep(value)) return value
  if (Array.isArray(value)) return Object.freeze((value as readonly Json[]).map(frozenCopy))
  const copy: Record<string, Json> = {}
  for (const name of Object.keys(value)) setMember(copy, name, frozenCopy((value as JsonObject)[name]!))
  return Object.freeze(copy)
}

function isFrozenDeep(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (!Object.isFrozen(value)) return false
  for (const key in value) if (!isFrozenDeep(value[key as never])) return false
  return true
}

/** Returns the list itself if it is frozen, otherwise a frozen copy. Its members are left as they are. */
export function frozenList<T>(list: readonly T[]): readonly T[] {
  return Object.isFrozen(list) ? list : Object.freeze([...list])
}

/** Defines a member. Assigning to a member named `__proto__` would change the prototype instead. */
export function setMember(record: Record<string, Json>, name: string, value: Json): void {
  if (name === '__proto__')
    Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true })
  else record[name] = value
}
