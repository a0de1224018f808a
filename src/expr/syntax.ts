import type { BinaryOp } from './nodes/binary.ts'

/** Operators between two values, those that bind least first. */
export const LEVELS: readonly (readonly string[])[] = [
  ['??', '||'],
  ['&&'],
  ['==', '!=', '===', '!==', '<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
]

export const COMPARISONS: readonly string[] = LEVELS[2]!

export const CONSTANTS: { readonly [word: string]: boolean | null } = { true: true, false: false, null: null }

/** Without conversion there is one equality only. */
export function plainOp(op: string): BinaryOp {
  return (op === '===' ? '==' : op === '!==' ? '!=' : op) as BinaryOp
}

const FUNCTIONS = 'There are no functions here.'
const ONE_VALUE = 'A condition is one expression, without statements.'

/** Words that name nothing, and what to write instead. */
export const RESERVED: { readonly [word: string]: string } = {
  undefined: 'Use null: `x == null` also holds when x is missing.',
  and: 'Use &&.',
  or: 'Use ||.',
  not: 'Use !.',
  is: 'Use ==.',
  in: 'Use `list.includes(value)` for a list, `object.key != null` for an object.',
  instanceof: 'Use typeof.',
  new: FUNCTIONS,
  function: FUNCTIONS,
  async: FUNCTIONS,
  await: FUNCTIONS,
  this: 'Use a name in scope.',
  if: 'Use `test ? one : other`.',
  return: ONE_VALUE,
  let: ONE_VALUE,
  const: ONE_VALUE,
  var: ONE_VALUE,
  delete: ONE_VALUE,
  void: ONE_VALUE,
}
