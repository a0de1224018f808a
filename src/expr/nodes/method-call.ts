import type { CallOptions } from './call.ts'
import { sealed } from './node.ts'
import type { Expr, TaggedNode } from './node.ts'

/** A call of one of the methods that the type of the receiver has in a table; never of a function the receiver holds. */
export interface MethodCallNode extends TaggedNode {
  readonly $expr: 'methodCall'
  readonly object: Expr
  readonly method: string
  readonly arguments: readonly Expr[]
  /** `object?.method()`: `undefined` for a missing object. */
  readonly optional?: boolean | undefined
}

/** Makes a call of a method. */
export function methodCall(
  receiver: Expr,
  method: string,
  args: readonly Expr[],
  { optional, at }: CallOptions = {},
): MethodCallNode {
  const node: MethodCallNode = { $expr: 'methodCall', object: receiver, method, arguments: args }
  return sealed(optional ? { ...node, optional } : node, at)
}
