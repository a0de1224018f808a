import { checkFields } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
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

const MEMBER_OPTIONS: FieldNames<MemberOptions> = { computed: 'flag', optional: 'flag', at: 'list' }

/** Creates a member access. */
export function member(object: Expr, property: Expr, options?: MemberOptions): MemberNode {
  checkFields(options, 'an option of `member`', MEMBER_OPTIONS)
  return sealed({ $expr: 'member', object, property, ...options })
}
