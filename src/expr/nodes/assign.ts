import type { Expr, TaggedNode } from './node.ts'

/** An assignment, available only in programs. */
export interface AssignNode extends TaggedNode {
  readonly $expr: 'assign'
  /** `=`, or an operator followed by `=`. */
  readonly op: string
  readonly target: Expr
  readonly value: Expr
}
