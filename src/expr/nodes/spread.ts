import type { Expr, TaggedNode } from './node.ts'

/** `...argument` in a list, an object or the arguments of a call; only programs have it. */
export interface SpreadNode extends TaggedNode {
  readonly $expr: 'spread'
  readonly argument: Expr
}
