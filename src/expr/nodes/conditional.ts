import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

/** `test ? consequent : alternate`; only the chosen side is evaluated. */
export interface ConditionalNode extends TaggedNode {
  readonly $expr: 'conditional'
  readonly test: Expr
  readonly consequent: Expr
  readonly alternate: Expr
}

/** Creates a conditional expression. */
export function conditional(test: Expr, consequent: Expr, alternate: Expr, at?: Position): ConditionalNode {
  return sealed({ $expr: 'conditional', test, consequent, alternate }, at)
}
