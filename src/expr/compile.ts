import { MandateError, checkFields } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { Compiler } from './compiler.ts'
import type { Block, Readers } from './compiler.ts'
import { compileNode } from './evaluators.ts'
import { fuelOf, spend } from './fuel.ts'
import type { Fuel } from './fuel.ts'
import { exprLimits } from './limits.ts'
import type { ExprLimits } from './limits.ts'
import type { Expr } from './nodes/node.ts'
import { plainCopy } from './plain-copy.ts'
import { failed } from './errors.ts'

/** The names that an expression can read: the own members of one object, and nothing else. */
export interface Scope {
  readonly [name: string]: unknown
}

interface CompileOptions<S> {
  readonly limits?: Partial<ExprLimits> | undefined
  /** The known names and their readers. Without it, the names are the own members of the scope. */
  readonly names?: Readers<S> | undefined
}

/** A compiled expression. It spends the given fuel, else the limit `fuel` for each evaluation. */
export type Compiled<S> = (scope: S, fuel?: Fuel) => unknown

/**
 * Compiles an expression for any number of evaluations. It reads plain data in place, without copying: own members only, never a function, and no
 * name that is not in scope. Evaluating returns a value, or throws EXPR_FAILED or LIMIT_EXCEEDED. An invalid expression (also cycles, getters,
 * proxies, depth) throws EXPR_INVALID here, with the path of the error in `info.path`.
 *
 * @example
 * ```ts
 * import { compileExpr, parseCondition } from 'mandate/expr'
 * const isBig = compileExpr(parseCondition('order.total > limit'))
 * isBig({ order: { total: 12 }, limit: 10 }) // true
 * ```
 */
export function compileExpr<S extends object = Scope>(expr: Expr, options: CompileOptions<S> = {}): Compiled<S> {
  checkFields(options, 'an option of `compileExpr`', { limits: true, names: true })
  const limits = exprLimits(options.limits)
  const [run, cost] = compileCopy(plainCopy(expr, limits), limits, options.names)
  const { total } = fuelOf(limits.fuel)
  return (scope, fuel = { left: total, total }) => {
    spend(fuel, cost)
    try {
      return run(scope, fuel)
    } catch (error) {
      // Getters and proxies of the host may throw anything.
      throw MandateError.isInstance(error) ? error : failed('The data cannot be read.', error)
    }
  }
}

/**
 * Validates an expression that came as JSON, and returns a frozen copy. Throws like `compileExpr`.
 *
 * @example
 * ```ts
 * import { checkExpr } from 'mandate/expr'
 * checkExpr({ $expr: 'binary', op: '+', left: 1, right: { $expr: 'ident', name: 'x' } })
 * ```
 */
export function checkExpr(value: unknown, given?: Partial<ExprLimits>): Expr {
  const limits = exprLimits(given)
  const copy = plainCopy(value, limits)
  compileCopy(copy, limits)
  return copy
}

function compileCopy<S>(copy: Json, limits: ExprLimits, names?: Readers<S>): Block<S> {
  return new Compiler<S>(limits, names, compileNode).block({ $: copy }, '$')
}
