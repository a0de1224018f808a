import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

export type UnaryOp = '!' | '-' | '+' | 'typeof'

export interface UnaryNode extends TaggedNode {
  readonly $expr: 'unary'
  readonly op: UnaryOp
  readonly argument: Expr
}

/** Creates an operation on one value. */
export function unary(op: UnaryOp, argument: Expr, at?: Position): UnaryNode {
  return sealed({ $expr: 'unary', op, argument }, at)
}
