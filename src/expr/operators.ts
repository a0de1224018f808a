import type { BinaryOp } from './nodes/binary.ts'

/** Operand types of operators. Lists and objects can only be compared by identity. */
type Primitive = null | undefined | boolean | number | string

/** Equal without conversion, except that `null` and `undefined` are equal. Lists and objects are equal to themselves only. */
function isEqual(left: unknown, right: unknown): boolean {
  return left === right || (left == null && right == null)
}

/** Operators on primitive values: as in JavaScript, except that `==` and `!=` never convert. */
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

/**
 * Whether an operator accepts these operands: two numbers; two texts to compare or join; a text to join with a number or boolean.
 * For other types JavaScript would convert silently: a missing number becomes NaN, a missing text the word "undefined".
 */
export function accepts(op: string, left: unknown, right: unknown): boolean {
  const types = `${typeof left} ${typeof right}`
  if (types === 'number number') return true
  return op === '+' ? /string/.test(types) && !/obj|und/.test(types) : /[<>]/.test(op) && types === 'string string'
}
