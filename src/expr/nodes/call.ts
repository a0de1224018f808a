import type { Expr, TaggedNode } from './node.ts'

/** A call of a function value; available only in programs. */
export interface CallNode extends TaggedNode {
  readonly $expr: 'call'
  readonly callee: Expr
  readonly arguments: readonly Expr[]
  readonly optional?: boolean | undefined
}
