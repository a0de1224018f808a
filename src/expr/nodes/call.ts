import type { Expr, TaggedNode } from './node.ts'

/** A call of a function value; only programs have functions. */
export interface CallNode extends TaggedNode {
  readonly $expr: 'call'
  readonly callee: Expr
  readonly arguments: readonly Expr[]
  readonly optional?: boolean | undefined
}
