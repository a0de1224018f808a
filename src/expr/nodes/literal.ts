import type { Json } from '../../core/index.ts'
import { sealed } from './node.ts'
import type { Position, TaggedNode } from './node.ts'

/** A value that stands for itself, even if it looks like a node. */
export interface LiteralNode extends TaggedNode {
  readonly $expr: 'literal'
  readonly value: Json
}

/** Creates a literal. */
export function literal(value: Json, at?: Position): LiteralNode {
  return sealed({ $expr: 'literal', value }, at)
}
