import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

/** `object.property`, or with `computed` `object[property]`. `optional` is `?.`: for a missing object the whole chain of members gives `undefined`. */
export interface MemberNode extends TaggedNode {
  readonly $expr: 'member'
  readonly object: Expr
  /** A name; with `computed` any expression. */
  readonly property: Expr
  readonly computed?: boolean | undefined
  readonly optional?: boolean | undefined
}

export interface MemberOptions {
  readonly computed?: boolean | undefined
  readonly optional?: boolean | undefined
  readonly at?: Position | undefined
}

/** Makes a read of a member. */
export function member(object: Expr, property: Expr, options?: MemberOptions): MemberNode {
  return sealed({ $expr: 'member', object, property, ...options })
}
