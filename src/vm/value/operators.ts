import { burn } from '../meter/live.ts'
import { toNumber, toPrimitive, toText } from './convert.ts'
import type { Guest } from './guest.ts'
import { GuestSymbol } from './symbols.ts'
import { concat, touch } from './text/text.ts'
import { SHORT_TEXT } from './text/text-ledger.ts'

/** An operand of `+`. A symbol stays: whether it would have become a text or a number, which the error names, depends on the other operand. */
function operand(value: Guest): Guest {
  return typeof value === 'object' && !(value instanceof GuestSymbol) ? toPrimitive(value, 'default') : value
}

/** `a + b` where not both are numbers. */
export function addSlow(left: Guest, right: Guest): string | number {
  const a = operand(left)
  const b = operand(right)
  if (typeof a === 'string' || typeof b === 'string')
    return concat(typeof a === 'string' ? a : toText(a), typeof b === 'string' ? b : toText(b))
  return toNumber(a) + toNumber(b)
}

type Comparison = (left: Guest, right: Guest) => boolean

/** A relational operator where not both operands are numbers; the left one is converted first. */
function slowComparison(holds: (a: string | number, b: string | number) => boolean): Comparison {
  return (left, right) => {
    const a = toPrimitive(left, 'number')
    const b = toPrimitive(right, 'number')
    if (typeof a !== 'string' || typeof b !== 'string') return holds(toNumber(a), toNumber(b))
    chargeComparison(a, b)
    return holds(a, b)
  }
}

export const lessSlow: Comparison = slowComparison((a, b) => a < b)
export const atMostSlow: Comparison = slowComparison((a, b) => a <= b)
export const moreSlow: Comparison = slowComparison((a, b) => a > b)
export const atLeastSlow: Comparison = slowComparison((a, b) => a >= b)

/** Charges for a comparison: both texts are read up to their first difference. */
function chargeComparison(a: string, b: string): void {
  touch(a)
  touch(b)
  burn((Math.min(a.length, b.length) >> 1) + 20)
}

/** `a === b`; the comparison of long texts is charged for. */
export function strictEquals(a: Guest, b: Guest): boolean {
  return typeof a === 'string' && typeof b === 'string' ? sameText(a, b) : a === b
}

function sameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  if (a.length > SHORT_TEXT) chargeComparison(a, b)
  return a === b
}

/** `==` of programs: no conversion, but `null` and `undefined` are equal. */
function plainEquals(a: Guest, b: Guest): boolean {
  return strictEquals(a, b) || (a === null && b === undefined) || (a === undefined && b === null)
}

/** Compares as `includes`, `Map` and `Set` do. */
export function sameValueZero(a: Guest, b: Guest): boolean {
  return strictEquals(a, b) || (typeof a === 'number' && typeof b === 'number' && Number.isNaN(a) && Number.isNaN(b))
}

export type Operation = (a: Guest, b: Guest) => Guest

export const number = (value: Guest): number => (typeof value === 'number' ? value : toNumber(value))

/** Every binary operator. Compiled code has faster forms of some, with the same results. */
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
