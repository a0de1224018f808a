import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

/** `==` and `!=` compare without conversion, except that `null` and `undefined` are equal. */
export type BinaryOp = '+' | '-' | '*' | '/' | '%' | '**' | '==' | '!=' | '===' | '!==' | '<' | '<=' | '>' | '>='

export interface BinaryNode extends TaggedNode {
  readonly $expr: 'binary'
  readonly op: BinaryOp
  readonly left: Expr
  readonly right: Expr
}

/** Creates an operation on two values. */
export function binary(op: BinaryOp, left: Expr, right: Expr, at?: Position): BinaryNode {
  return sealed({ $expr: 'binary', op, left, right }, at)
}
