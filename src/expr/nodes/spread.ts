import type { Expr, TaggedNode } from './node.ts'

/** `...argument` in a list, an object or the arguments of a call; available only in programs. */
export interface SpreadNode extends TaggedNode {
  readonly $expr: 'spread'
  readonly argument: Expr
}
