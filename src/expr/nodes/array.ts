import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

export interface ArrayNode extends TaggedNode {
  readonly $expr: 'array'
  readonly elements: readonly Expr[]
}

/** Creates a list. */
export function array(elements: readonly Expr[], at?: Position): ArrayNode {
  return sealed({ $expr: 'array', elements }, at)
}
