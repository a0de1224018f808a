import type { Fuel } from './fuel.ts'
import { NODE_COST } from './fuel.ts'
import type { ExprLimits } from './limits.ts'
import { isOptionalChain } from './nodes/expr-node.ts'
import type { Expr } from './nodes/node.ts'
import { isForbidden } from './read-node.ts'
import { wrong } from './errors.ts'

/** A node made ready: what it gives, over a scope. */
export type Run<S> = (scope: S, fuel: Fuel) => unknown

/** What may be skipped, and what it costs. */
export type Block<S> = readonly [run: Run<S>, cost: number]

/** How each name is read from what an expression is evaluated over. */
export type Readers<S> = { readonly [name: string]: (scope: S) => unknown }

/** What a chain of members gives inside once `?.` has met something missing. It has no members of its own. */
export const SHORT: object = Object.freeze({})

export const UNKNOWN_OP = '`op` is not known'

/** Makes nodes ready, one through another; knows where it is, for errors, and what the block costs that it is in. */
export class Compiler<S> {
  readonly limits: ExprLimits
  readonly names: Readers<S> | undefined
  readonly #compileNode: (node: unknown, compiler: Compiler<S>) => Run<S>
  readonly #path: (string | number)[] = []
  /** Fuel is taken for a whole block at once; only where the way forks does a new block begin. */
  #cost = 0

  constructor(
    limits: ExprLimits,
    names: Readers<S> | undefined,
    compileNode: (node: unknown, compiler: Compiler<S>) => Run<S>,
  ) {
    this.limits = limits
    this.names = names
    this.#compileNode = compileNode
  }

  /** Throws what is wrong with the node that is being compiled. */
  refuse(problem: string): never {
    throw wrong(this.#path, problem)
  }

  /** What stands in a field. */
  child(owner: object, field: string | number): Run<S> {
    const run = this.link(owner, field)
    if (!isOptionalChain((owner as { readonly [field: string]: Expr })[field])) return run
    return (scope, fuel) => {
      const value = run(scope, fuel)
      return value === SHORT ? undefined : value
    }
  }

  /** The same inside a chain of members, all of which `?.` ends. */
  link(owner: object, field: string | number): Run<S> {
    this.#path.push(field)
    this.#cost += NODE_COST
    const run = this.#compileNode((owner as { readonly [field: string]: unknown })[field], this)
    this.#path.pop()
    return run
  }

  /** The same for what may be skipped, with what it costs when it is not. */
  block(owner: object, field: string): Block<S> {
    const outer = this.#cost
    this.#cost = 0
    const run = this.child(owner, field)
    const cost = this.#cost
    this.#cost = outer
    return [run, cost]
  }

  /** All that stand in the list of a field. */
  list(owner: object, field: string): Run<S>[] {
    const items = this.items(owner, field)
    return items.map((_, index) => this.child(items, index))
  }

  /** The list in a field, as it is. */
  items(owner: object, field: string): readonly unknown[] {
    const list = (owner as { readonly [field: string]: unknown })[field]
    return Array.isArray(list) ? list : this.refuse(`\`${field}\` must be a list`)
  }

  /** A name that may be used. */
  name(name: unknown): string {
    return typeof name === 'string' && name && !isForbidden(name) ? name : this.refuse('a name is missing or forbidden')
  }
}
