import type { BinaryOp } from './nodes/binary.ts'
import type { UnaryOp } from './nodes/unary.ts'
import { kindOf } from './reading.ts'

/** The values operators work on. Lists and objects can only be compared for being the same one. */
export type Primitive = null | undefined | boolean | number | string

/** Equal without conversion, except that `null` and `undefined` are equal. Lists and objects are equal to themselves only. */
export function isEqual(left: unknown, right: unknown): boolean {
  return left === right || (left == null && right == null)
}

/** What each operator gives for primitive values: as in JavaScript, apart from `==` and `!=`, which never convert. */
export const OPERATORS: { readonly [O in BinaryOp]: (left: Primitive, right: Primitive) => Primitive } = {
  '+': (a, b) => (a as number) + (b as number),
  '-': (a, b) => (a as number) - (b as number),
  '*': (a, b) => (a as number) * (b as number),
  '/': (a, b) => (a as number) / (b as number),
  '%': (a, b) => (a as number) % (b as number),
  '**': (a, b) => (a as number) ** (b as number),
  '==': isEqual,
  '!=': (a, b) => !isEqual(a, b),
  '===': (a, b) => a === b,
  '!==': (a, b) => a !== b,
  '<': (a, b) => (a as number) < (b as number),
  '<=': (a, b) => (a as number) <= (b as number),
  '>': (a, b) => (a as number) > (b as number),
  '>=': (a, b) => (a as number) >= (b as number),
}

/** What each operator gives for one primitive value. */
export const UNARY_OPERATORS: { readonly [O in UnaryOp]: (value: Primitive) => Primitive } = {
  '!': (value) => !value,
  '-': (value) => -(value as number),
  '+': Number,
  typeof: (value) => typeof value,
}

/**
 * Why expressions refuse an operator for these values, or `undefined` when they do not.
 * JavaScript would convert here, and be wrong in silence: a missing number becomes NaN, a missing text the word "undefined".
 */
export function refusalOf(op: BinaryOp | UnaryOp, left: unknown, right: unknown): string | undefined {
  switch (op) {
    case '==':
    case '!=':
    case '===':
    case '!==':
    case '!':
    case 'typeof':
      return undefined
    case '+':
      if (isText(left) ? isText(right) || isPlain(right) : isText(right) && isPlain(left)) return undefined
      return bothNumbers(left, right) ? undefined : 'adds numbers, or joins a text with a text, a number, true or false'
    case '<':
    case '<=':
    case '>':
    case '>=':
      return bothNumbers(left, right) || (isText(left) && isText(right))
        ? undefined
        : 'compares two numbers or two texts'
    default:
      return bothNumbers(left, right) ? undefined : 'needs numbers'
  }
}

/** The values that made an operator refuse, in words. */
export function describePair(left: unknown, right: unknown): string {
  return `not what is ${kindOf(left)} and what is ${kindOf(right)}`
}

function bothNumbers(left: unknown, right: unknown): boolean {
  return typeof left === 'number' && typeof right === 'number'
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}
