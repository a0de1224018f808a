import { COST } from '../meter/cost.ts'
import { burn } from '../meter/live.ts'
import { BuiltinFunction } from './builtin-function.ts'
import { toKey, toNumber, toPrimitive, toText } from './convert.ts'
import type { Guest } from './guest.ts'
import { GuestArray } from './guest-array.ts'
import { GuestObject } from './guest-object.ts'
import { concat } from './text.ts'
import { thrown } from './thrown.ts'

/** `a + b` where not both are numbers. */
export function addSlow(left: Guest, right: Guest): string | number {
  const a = typeof left === 'object' ? toPrimitive(left, 'default') : left
  const b = typeof right === 'object' ? toPrimitive(right, 'default') : right
  if (typeof a === 'string' || typeof b === 'string')
    return concat(typeof a === 'string' ? a : toText(a), typeof b === 'string' ? b : toText(b))
  return toNumber(a) + toNumber(b)
}

/** `a < b` where not both are numbers. */
export function lessSlow(left: Guest, right: Guest): boolean {
  const a = toPrimitive(left, 'number')
  const b = toPrimitive(right, 'number')
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b) && a < b
  return toNumber(a) < toNumber(b)
}

/** `a <= b` where not both are numbers. */
export function atMostSlow(left: Guest, right: Guest): boolean {
  const a = toPrimitive(left, 'number')
  const b = toPrimitive(right, 'number')
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b) && a <= b
  return toNumber(a) <= toNumber(b)
}

/** `a > b` where not both are numbers: the left side is converted first, as it stands first. */
export function moreSlow(left: Guest, right: Guest): boolean {
  const a = toPrimitive(left, 'number')
  const b = toPrimitive(right, 'number')
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b) && a > b
  return toNumber(a) > toNumber(b)
}

/** `a >= b` where not both are numbers. */
export function atLeastSlow(left: Guest, right: Guest): boolean {
  const a = toPrimitive(left, 'number')
  const b = toPrimitive(right, 'number')
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b) && a >= b
  return toNumber(a) >= toNumber(b)
}

function compareTexts(a: string, b: string): true {
  burn(Math.min(a.length, b.length) >> 2)
  return true
}

/** `a === b`; long texts are compared character by character, which is paid for. */
export function strictEquals(a: Guest, b: Guest): boolean {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) burn(a.length >> 2)
  return a === b
}

/** JavaScript's `a == b`. */
export function looseEquals(a: Guest, b: Guest): boolean {
  if (a === b) return true
  if (a === null || a === undefined) return b === null || b === undefined
  if (b === null || b === undefined || typeof a === typeof b) return false
  if (typeof a === 'object') return looseEquals(toPrimitive(a, 'default'), b)
  if (typeof b === 'object') return looseEquals(a, toPrimitive(b, 'default'))
  return toNumber(a) === toNumber(b)
}

/** `==` of programs: no conversion, but `null` and `undefined` are equal. */
export function plainEquals(a: Guest, b: Guest): boolean {
  return a === b || (a === null && b === undefined) || (a === undefined && b === null)
}

/** How `includes`, `Map` and `Set` compare. */
export function sameValueZero(a: Guest, b: Guest): boolean {
  return a === b || (typeof a === 'number' && typeof b === 'number' && Number.isNaN(a) && Number.isNaN(b))
}

export function hasProperty(key: Guest, target: Guest): boolean {
  burn(COST.node)
  if (target instanceof GuestArray) {
    const index = typeof key === 'number' ? key : toKey(key)
    if (index === 'length') return true
    const number = Number(index)
    return Number.isInteger(number) && String(number) === String(index) && number >= 0 && number < target.items.length
  }
  if (target instanceof GuestObject) return target.has(toKey(key))
  if (target instanceof BuiltinFunction) return target.members?.has(toKey(key)) ?? false
  throw thrown('TypeError', `Cannot use 'in' operator to search for '${toKey(key)}' in ${toText(target)}`)
}

export type Operation = (a: Guest, b: Guest) => Guest

const number = (value: Guest): number => (typeof value === 'number' ? value : toNumber(value))

/** Every operator on two values, by its sign. Compiled code has faster forms of some; they agree with these. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['+', (a, b) => (typeof a === 'number' && typeof b === 'number' ? a + b : addSlow(a, b))],
  ['-', (a, b) => number(a) - number(b)],
  ['*', (a, b) => number(a) * number(b)],
  ['/', (a, b) => number(a) / number(b)],
  ['%', (a, b) => number(a) % number(b)],
  ['**', (a, b) => number(a) ** number(b)],
  ['<', (a, b) => (typeof a === 'number' && typeof b === 'number' ? a < b : lessSlow(a, b))],
  ['<=', (a, b) => (typeof a === 'number' && typeof b === 'number' ? a <= b : atMostSlow(a, b))],
  ['>', (a, b) => (typeof a === 'number' && typeof b === 'number' ? a > b : moreSlow(a, b))],
  ['>=', (a, b) => (typeof a === 'number' && typeof b === 'number' ? a >= b : atLeastSlow(a, b))],
  ['===', strictEquals],
  ['!==', (a, b) => !strictEquals(a, b)],
  ['==', plainEquals],
  ['!=', (a, b) => !plainEquals(a, b)],
])

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
