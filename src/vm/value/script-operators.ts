import { COST } from '../meter/cost.ts'
import { burn } from '../meter/live.ts'
import { BuiltinFunction } from './builtin-function.ts'
import { toKey, toNumber, toPrimitive, toText } from './convert.ts'
import type { Guest } from './guest.ts'
import { GuestArray } from './guest-array.ts'
import { GuestObject, isIndexKey } from './guest-object.ts'
import { OPERATIONS, number } from './operators.ts'
import type { Operation } from './operators.ts'
import { thrown } from './thrown.ts'

/** JavaScript's `a == b`. */
export function looseEquals(a: Guest, b: Guest): boolean {
  if (a === b) return true
  if (a === null || a === undefined) return b === null || b === undefined
  if (b === null || b === undefined || typeof a === typeof b) return false
  if (typeof a === 'object') return looseEquals(toPrimitive(a, 'default'), b)
  if (typeof b === 'object') return looseEquals(a, toPrimitive(b, 'default'))
  return toNumber(a) === toNumber(b)
}

export function hasProperty(key: Guest, target: Guest): boolean {
  burn(COST.node)
  if (target instanceof GuestArray) {
    if (typeof key === 'number') return key in target.items
    const name = toKey(key)
    return name === 'length' || target.named?.has(name) === true || (isIndexKey(name) && name in target.items)
  }
  if (target instanceof GuestObject) return target.has(toKey(key))
  if (target instanceof BuiltinFunction) return target.members?.has(toKey(key)) ?? false
  throw thrown('TypeError', `Cannot use 'in' operator to search for '${toKey(key)}' in ${toText(target)}`)
}

/** The operators that only scripts have, and `==` as JavaScript means it. */
export const SCRIPT_OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ...OPERATIONS,
  ['==', looseEquals],
  ['!=', (a, b) => !looseEquals(a, b)],
  ['&', (a, b) => number(a) & number(b)],
  ['|', (a, b) => number(a) | number(b)],
  ['^', (a, b) => number(a) ^ number(b)],
  ['<<', (a, b) => number(a) << number(b)],
  ['>>', (a, b) => number(a) >> number(b)],
  ['>>>', (a, b) => number(a) >>> number(b)],
  ['in', hasProperty],
])
