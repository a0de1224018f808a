/** The operators of the language, each once: what reads programs, what follows labels and what writes test programs go by these lists. */
export type LogicalOperator = '&&' | '||' | '??'
export const LOGICAL_OPERATORS: readonly LogicalOperator[] = ['&&', '||', '??']

export type UnaryOperator = '!' | '-' | '+' | 'typeof' | '~' | 'void' | 'delete'
export const UNARY_OPERATORS: readonly UnaryOperator[] = ['!', '-', '+', 'typeof', '~', 'void', 'delete']

/** Operators that an assignment can compute with: `+` of `+=`. */
type ComputingOperator = '+' | '-' | '*' | '/' | '%' | '**' | '&' | '|' | '^' | '<<' | '>>' | '>>>'
const COMPUTING: readonly ComputingOperator[] = ['+', '-', '*', '/', '%', '**', '&', '|', '^', '<<', '>>', '>>>']

export type BinaryOperator =
  | ComputingOperator
  | '<'
  | '<='
  | '>'
  | '>='
  | '==='
  | '!=='
  | '=='
  | '!='
  | 'in'
  | 'instanceof'

/** What stands before the `=` of an assignment; nothing in a plain one. */
export type AssignmentOperator = '' | ComputingOperator | LogicalOperator
export const ASSIGNMENT_OPERATORS: readonly AssignmentOperator[] = ['', ...COMPUTING, ...LOGICAL_OPERATORS]
