import type { Json } from '../../core/index.ts'
import type { Expr, TaggedNode } from './node.ts'

/** A function. Programs define its parameters and body. */
export interface FunctionNode extends TaggedNode {
  readonly $expr: 'function'
  readonly name?: string | undefined
  readonly params: readonly (Json | TaggedNode)[]
  /** Statements; a function that is one expression has `result` instead. */
  readonly body?: readonly (Json | TaggedNode)[] | undefined
  readonly result?: Expr | undefined
  readonly async?: boolean | undefined
}
