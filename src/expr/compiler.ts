import type { Fuel } from './fuel.ts'
import { NODE_COST } from './fuel.ts'
import type { ExprLimits } from './limits.ts'
import { isOptionalChain } from './nodes/expr-node.ts'
import type { Expr } from './nodes/node.ts'
import { isForbidden } from './read-node.ts'
import { wrong } from './errors.ts'

/** A compiled node: evaluates it over a scope. */
export type Run<S> = (scope: S, fuel: Fuel) => unknown

/** A compiled branch, and its cost. */
export type Block<S> = readonly [run: Run<S>, cost: number]

/** Readers of names from the scope. */
export type Readers<S> = { readonly [name: string]: (scope: S) => unknown }

/** The value of a short-circuited optional chain inside the chain. It has no members. */
export const SHORT: object = Object.freeze({})

export const UNKNOWN_OP = '`op` is not known'

/** Compiles nodes recursively; tracks the path for errors and the cost of the current branch. */
export class Compiler<S> {
  readonly limits: ExprLimits
  readonly names: Readers<S> | undefined
  readonly #compileNode: (node: unknown, compiler: Compiler<S>) => Run<S>
  readonly #path: (string | number)[] = []
  /** Fuel is charged per branch, not per node. */
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

  /** Throws EXPR_INVALID for the node being compiled. */
  refuse(problem: string): never {
    throw wrong(this.#path, problem)
  }

  /** Compiles the node in a field. */
  child(owner: object, field: string | number): Run<S> {
    const run = this.link(owner, field)
    if (!isOptionalChain((owner as { readonly [field: string]: Expr })[field])) return run
    return (scope, fuel) => {
      const value = run(scope, fuel)
      return value === SHORT ? undefined : value
    }
  }

  /** The same inside an optional chain, which `?.` short-circuits as a whole. */
  link(owner: object, field: string | number): Run<S> {
    this.#path.push(field)
    this.#cost += NODE_COST
    const run = this.#compileNode((owner as { readonly [field: string]: unknown })[field], this)
    this.#path.pop()
    return run
  }

  /** The same for a branch, with its cost. */
  block(owner: object, field: string): Block<S> {
    const outer = this.#cost
    this.#cost = 0
    const run = this.child(owner, field)
    const cost = this.#cost
    this.#cost = outer
    return [run, cost]
  }

  /** Compiles all nodes of a list field. */
  list(owner: object, field: string): Run<S>[] {
    const items = this.items(owner, field)
    return items.map((_, index) => this.child(items, index))
  }

  /** The list in a field. */
  items(owner: object, field: string): readonly unknown[] {
    const list = (owner as { readonly [field: string]: unknown })[field]
    return Array.isArray(list) ? list : this.refuse(`\`${field}\` must be a list`)
  }

  /** Checks a name. */
  name(name: unknown): string {
    return typeof name === 'string' && name && !isForbidden(name) ? name : this.refuse('a name is missing or forbidden')
  }
}
