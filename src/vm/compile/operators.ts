/** The operators of the language. Lowering, label rules and generated test programs use these lists. */
export type LogicalOperator = '&&' | '||' | '??'
export const LOGICAL_OPERATORS: readonly LogicalOperator[] = ['&&', '||', '??']

export type UnaryOperator = '!' | '-' | '+' | 'typeof' | '~' | 'void' | 'delete'
export const UNARY_OPERATORS: readonly UnaryOperator[] = ['!', '-', '+', 'typeof', '~', 'void', 'delete']

/** Operators of compound assignments: `+` of `+=`. */
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

/** The operator of an assignment; empty for plain `=`. */
export type AssignmentOperator = '' | ComputingOperator | LogicalOperator
export const ASSIGNMENT_OPERATORS: readonly AssignmentOperator[] = ['', ...COMPUTING, ...LOGICAL_OPERATORS]
