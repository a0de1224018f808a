import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

export type LogicalOp = '&&' | '||' | '??'

/** Short-circuits as in JavaScript and returns one of the two values. */
export interface LogicalNode extends TaggedNode {
  readonly $expr: 'logical'
  readonly op: LogicalOp
  readonly left: Expr
  readonly right: Expr
}

/** Creates a logical operation. */
export function logical(op: LogicalOp, left: Expr, right: Expr, at?: Position): LogicalNode {
  return sealed({ $expr: 'logical', op, left, right }, at)
}
