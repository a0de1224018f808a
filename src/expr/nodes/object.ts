import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

/** One member of an object: a key (with `computed` an expression for it) and a value; or, in programs, a spread node. */
export interface ObjectProperty extends TaggedNode {
  readonly key: Expr
  readonly value: Expr
  readonly computed?: boolean | undefined
}

export interface ObjectNode extends TaggedNode {
  readonly $expr: 'object'
  readonly properties: readonly (ObjectProperty | TaggedNode)[]
}

/** Creates an object. */
export function object(properties: readonly (ObjectProperty | TaggedNode)[], at?: Position): ObjectNode {
  return sealed({ $expr: 'object', properties }, at)
}
