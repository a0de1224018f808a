import { checkFields } from '../../core/index.ts'
import type { MemberOptions } from './member.ts'
import { sealed } from './node.ts'
import type { Expr, TaggedNode } from './node.ts'

/** A call of a method in the table of the receiver's type; never of a function that the receiver holds. */
export interface MethodCallNode extends TaggedNode {
  readonly $expr: 'methodCall'
  readonly object: Expr
  readonly method: string
  readonly arguments: readonly Expr[]
  /** `object?.method()`, as for members. */
  readonly optional?: boolean | undefined
}

/** Creates a method call. */
export function methodCall(
  receiver: Expr,
  method: string,
  args: readonly Expr[],
  options?: Omit<MemberOptions, 'computed'>,
): MethodCallNode {
  checkFields(options, 'an option of `methodCall`', { optional: true, at: true })
  return sealed({ $expr: 'methodCall', object: receiver, method, arguments: args, ...options })
}
