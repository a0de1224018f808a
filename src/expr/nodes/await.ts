import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

/** Waits for a promise; only programs have them. */
export interface AwaitNode extends TaggedNode {
  readonly $expr: 'await'
  readonly argument: Expr
}

/** Makes a wait. */
export function awaited(argument: Expr, at?: Position): AwaitNode {
  return sealed({ $expr: 'await', argument }, at)
}
