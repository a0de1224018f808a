import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

export type LogicalOp = '&&' | '||' | '??'

/** The right side is computed only when it is needed, and gives one of the two values, as in JavaScript. */
export interface LogicalNode extends TaggedNode {
  readonly $expr: 'logical'
  readonly op: LogicalOp
  readonly left: Expr
  readonly right: Expr
}

/** Makes a choice between two values by the first. */
export function logical(op: LogicalOp, left: Expr, right: Expr, at?: Position): LogicalNode {
  return sealed({ $expr: 'logical', op, left, right }, at)
}
