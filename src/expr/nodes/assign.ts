import type { Expr, TaggedNode } from './node.ts'

/** An assignment, which only programs may make. */
export interface AssignNode extends TaggedNode {
  readonly $expr: 'assign'
  /** `=`, or an operator with `=` after it. */
  readonly op: string
  readonly target: Expr
  readonly value: Expr
}
