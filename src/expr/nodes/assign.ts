import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

/** An assignment, which only programs may make. */
export interface AssignNode extends TaggedNode {
  readonly $expr: 'assign'
  /** `=`, or an operator with `=` after it. */
  readonly op: string
  readonly target: Expr
  readonly value: Expr
}

/** Makes an assignment. */
export function assign(target: Expr, value: Expr, op: string = '=', at?: Position): AssignNode {
  return sealed({ $expr: 'assign', op, target, value }, at)
}
