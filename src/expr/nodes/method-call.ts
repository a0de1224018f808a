import { checkFields } from '../../core/index.ts'
import type { MemberOptions } from './member.ts'
import { sealed } from './node.ts'
import type { Expr, TaggedNode } from './node.ts'

/** A call of one of the methods that the type of the receiver has in a table; never of a function the receiver holds. */
export interface MethodCallNode extends TaggedNode {
  readonly $expr: 'methodCall'
  readonly object: Expr
  readonly method: string
  readonly arguments: readonly Expr[]
  /** `object?.method()`, as with members. */
  readonly optional?: boolean | undefined
}

/** Makes a call of a method. */
export function methodCall(
  receiver: Expr,
  method: string,
  args: readonly Expr[],
  options?: Omit<MemberOptions, 'computed'>,
): MethodCallNode {
  checkFields(options, 'an option of `methodCall`', { optional: true, at: true })
  return sealed({ $expr: 'methodCall', object: receiver, method, arguments: args, ...options })
}
