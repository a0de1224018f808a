import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

/** `...argument` in a list, an object or the arguments of a call; only programs have it. */
export interface SpreadNode extends TaggedNode {
  readonly $expr: 'spread'
  readonly argument: Expr
}

/** Makes a spread. */
export function spread(argument: Expr, at?: Position): SpreadNode {
  return sealed({ $expr: 'spread', argument }, at)
}
