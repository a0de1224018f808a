import type { Json } from '../../core/index.ts'
import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

/** A function. What parameters and bodies look like is the business of programs. */
export interface FunctionNode extends TaggedNode {
  readonly $expr: 'function'
  readonly name?: string | undefined
  readonly params: readonly (Json | TaggedNode)[]
  /** Statements; a function that is one expression has `result` instead. */
  readonly body?: readonly (Json | TaggedNode)[] | undefined
  readonly result?: Expr | undefined
  readonly async?: boolean | undefined
}

/** Makes a function. */
export function func(parts: Omit<FunctionNode, '$expr' | '$kind' | 'at'>, at?: Position): FunctionNode {
  return sealed({ $expr: 'function', ...parts }, at)
}
