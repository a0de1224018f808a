import type { Expr, TaggedNode } from './node.ts'

/** Waits for a promise; available only in programs. */
export interface AwaitNode extends TaggedNode {
  readonly $expr: 'await'
  readonly argument: Expr
}
