import { NODE_COST } from './fuel.ts'
import type { Fuel } from './fuel.ts'
import type { ExprLimits } from './limits.ts'
import type { Expr } from './nodes/node.ts'

/** A node made ready: what it gives, over a scope. */
export type Run<S> = (scope: S, fuel: Fuel) => unknown

/** How each name is read from what an expression is evaluated over. */
export type Readers<S> = { readonly [name: string]: (scope: S) => unknown }

/** What compiling one node needs of the rest. */
export interface Compiling<S> {
  readonly limits: ExprLimits
  readonly names: Readers<S> | undefined
  compile(expr: Expr): Run<S>
  /** The same, inside a chain of members: `?.` then ends the whole chain. */
  link(expr: Expr): Run<S>
  /** Compiles what may be skipped, with what it costs when it is not. */
  block(expr: Expr): { readonly run: Run<S>; readonly cost: number }
}

/** Fuel is taken for a whole block at once; only where the way forks does a new block begin. */
export class BlockCost {
  #units = 0

  count(): void {
    this.#units += NODE_COST
  }

  /** Runs with a count of its own, and gives it. */
  measure<T>(build: () => T): { readonly made: T; readonly cost: number } {
    const outer = this.#units
    this.#units = 0
    const made = build()
    const cost = this.#units
    this.#units = outer
    return { made, cost }
  }
}
