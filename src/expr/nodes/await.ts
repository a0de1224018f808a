import type { Expr, TaggedNode } from './node.ts'

/** Waits for a promise; only programs have them. */
export interface AwaitNode extends TaggedNode {
  readonly $expr: 'await'
  readonly argument: Expr
}
