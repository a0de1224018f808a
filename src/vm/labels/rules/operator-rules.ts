import type { AssignmentOperator, BinaryOperator, UnaryOperator } from '../../compile/operators.ts'

/** What an operator on two values looks at, and whether it can throw because of what it finds. */
interface BinaryRule {
  /** The values themselves, with the inside of references where they become texts or numbers; or what keys there are. */
  readonly looksAt: 'values' | 'keys'
  readonly throws: boolean
}

const computes: BinaryRule = { looksAt: 'values', throws: true }
const compares: BinaryRule = { looksAt: 'values', throws: false }

/** The label rule of every operator on two values: what it gives carries the labels of what it looks at. */
export const BINARY_RULES: Readonly<Record<BinaryOperator, BinaryRule>> = {
  '+': computes,
  '-': computes,
  '*': computes,
  '/': computes,
  '%': computes,
  '**': computes,
  '&': computes,
  '|': computes,
  '^': computes,
  '<<': computes,
  '>>': computes,
  '>>>': computes,
  '<': computes,
  '<=': computes,
  '>': computes,
  '>=': computes,
  '===': compares,
  '!==': compares,
  '==': computes,
  '!=': computes,
  in: { looksAt: 'keys', throws: true },
  instanceof: computes,
}

/** The label rule of every operator on one value: it gives something that carries its labels, or it removes a part. */
export const UNARY_RULES: Readonly<Record<UnaryOperator, { readonly removes: boolean; readonly throws: boolean }>> = {
  '!': { removes: false, throws: false },
  '-': { removes: false, throws: true },
  '+': { removes: false, throws: true },
  typeof: { removes: false, throws: false },
  '~': { removes: false, throws: true },
  void: { removes: false, throws: false },
  delete: { removes: true, throws: true },
}

/**
 * The label rule of every assignment: it sets what it is given, it computes that from what was there, or what was there decides
 * whether anything is computed and set.
 */
export const ASSIGNMENT_RULES: Readonly<Record<AssignmentOperator, 'sets' | 'computes' | 'chooses'>> = {
  '': 'sets',
  '+': 'computes',
  '-': 'computes',
  '*': 'computes',
  '/': 'computes',
  '%': 'computes',
  '**': 'computes',
  '&': 'computes',
  '|': 'computes',
  '^': 'computes',
  '<<': 'computes',
  '>>': 'computes',
  '>>>': 'computes',
  '&&': 'chooses',
  '||': 'chooses',
  '??': 'chooses',
}

/** Whether an operator can throw because of what it is given. */
export function operatorThrows(op: string, kind: 'binary' | 'unary'): boolean {
  return kind === 'binary' ? BINARY_RULES[op as BinaryOperator].throws : UNARY_RULES[op as UnaryOperator].throws
}
