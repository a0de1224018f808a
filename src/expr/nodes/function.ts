import type { Json } from '../../core/index.ts'
import type { Expr, TaggedNode } from './node.ts'

/** A function. Parameters and body are defined by programs. */
export interface FunctionNode extends TaggedNode {
  readonly $expr: 'function'
  readonly name?: string | undefined
  readonly params: readonly (Json | TaggedNode)[]
  /** Statements; a function with an expression body has `result` instead. */
  readonly body?: readonly (Json | TaggedNode)[] | undefined
  readonly result?: Expr | undefined
  readonly async?: boolean | undefined
}
