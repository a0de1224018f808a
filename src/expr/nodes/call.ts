import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

/** A call of a function by what it is; only programs have functions. */
export interface CallNode extends TaggedNode {
  readonly $expr: 'call'
  readonly callee: Expr
  readonly arguments: readonly Expr[]
  readonly optional?: boolean | undefined
}

export interface CallOptions {
  readonly optional?: boolean | undefined
  readonly at?: Position | undefined
}

/** Makes a call. */
export function call(callee: Expr, args: readonly Expr[], { optional, at }: CallOptions = {}): CallNode {
  const node: CallNode = { $expr: 'call', callee, arguments: args }
  return sealed(optional ? { ...node, optional } : node, at)
}
