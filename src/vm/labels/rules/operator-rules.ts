import type { AssignmentOperator, BinaryOperator, UnaryOperator } from '../../compile/operators.ts'

/** What a binary operator reads of its operands, and whether it can throw depending on them. */
interface BinaryRule {
  /** The values (with the contents of references that are converted to text or number), or the structure only. */
  readonly looksAt: 'values' | 'keys'
  readonly throws: boolean
}

const computes: BinaryRule = { looksAt: 'values', throws: true }
const compares: BinaryRule = { looksAt: 'values', throws: false }

/** The label rule of every binary operator: the result carries the labels of what it reads. */
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

/** The label rule of every unary operator: the result carries the label of the operand, or the operator deletes a part. */
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
 * The label rule of every assignment: it stores the value, it computes from the current value, or the current value decides
 * whether anything is evaluated and stored (an implicit flow).
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

/** Whether an operator can throw depending on its operands. */
export function operatorThrows(op: string, kind: 'binary' | 'unary'): boolean {
  return kind === 'binary' ? BINARY_RULES[op as BinaryOperator].throws : UNARY_RULES[op as UnaryOperator].throws
}
