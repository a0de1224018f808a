import { MandateError, messageOf } from '../core/index.ts'
import { checkExpr } from './check.ts'
import { BlockCost } from './compiling.ts'
import type { Compiling, Readers, Run } from './compiling.ts'
import { fuelOf, spend } from './fuel.ts'
import type { Fuel } from './fuel.ts'
import { EXPR_LIMITS } from './limits.ts'
import type { ExprLimits } from './limits.ts'
import { compileCollection, compileChoice } from './forks.ts'
import { SHORT, compileMember, compileMethodCall, isOptionalChain } from './members.ts'
import { compileArg, compileIdent } from './names.ts'
import { nodeOf } from './nodes/expr-node.ts'
import type { ExprNode } from './nodes/expr-node.ts'
import type { Expr } from './nodes/node.ts'
import { compileBinary, compileTemplate, compileUnary } from './operations.ts'
import { failed, invalid } from './refusals.ts'

/** What an expression can see: the own members of one object, and nothing else. */
export interface Scope {
  readonly [name: string]: unknown
}

export interface CompileOptions<S> {
  readonly limits?: Partial<ExprLimits> | undefined
  /** The names there are, and how each is read. Without it the names are the own members of the scope. */
  readonly names?: Readers<S> | undefined
}

/** An expression made ready. It takes fuel from what it is given, else from the limit `fuel`, anew for each evaluation. */
export type Compiled<S> = (scope: S, fuel?: Fuel) => unknown

/**
 * Makes an expression ready, once, for any number of evaluations. It reads plain data where it lies, without copying: own members only,
 * never a function, and no name that is not in scope. Evaluating returns a value, or throws EXPR_FAILED or LIMIT_EXCEEDED.
 *
 * @example
 * ```ts
 * import { compileExpr, parseCondition } from 'mandate/expr'
 * const isBig = compileExpr(parseCondition('order.total > limit'))
 * isBig({ order: { total: 12 }, limit: 10 }) // true
 * ```
 */
export function compileExpr<S extends object = Scope>(expr: Expr, options: CompileOptions<S> = {}): Compiled<S> {
  const limits = { ...EXPR_LIMITS, ...options.limits }
  const checked = checkExpr(expr, limits)
  const block = new BlockCost()
  const compiling: Compiling<S> = {
    limits,
    names: options.names,
    link: (inner) => {
      block.count()
      return compileNode(nodeOf(inner), compiling)
    },
    compile: (inner) => {
      const run = compiling.link(inner)
      return isOptionalChain(nodeOf(inner)) ? unlinked(run) : run
    },
    block: (inner) => {
      const { made, cost } = block.measure(() => compiling.compile(inner))
      return { run: made, cost }
    },
  }
  const { run, cost } = compiling.block(checked)
  return (scope, fuel = fuelOf(limits.fuel)) => {
    spend(fuel, cost)
    try {
      return run(scope, fuel)
    } catch (error) {
      if (MandateError.isInstance(error)) throw error
      // Getters and proxies of the host may throw anything.
      throw failed(`The data could not be read: ${messageOf(error)}`)
    }
  }
}

function unlinked<S>(run: Run<S>): Run<S> {
  return (scope, fuel) => {
    const value = run(scope, fuel)
    return value === SHORT ? undefined : value
  }
}

function compileNode<S>(node: ExprNode, compiling: Compiling<S>): Run<S> {
  switch (node.$expr) {
    case undefined:
      return compileArg(node, compiling)
    case 'literal': {
      const { value } = node
      return () => value
    }
    case 'ident':
      return compileIdent(node, compiling)
    case 'member':
      return compileMember(node, compiling)
    case 'methodCall':
      return compileMethodCall(node, compiling)
    case 'binary':
      return compileBinary(node, compiling)
    case 'unary':
      return compileUnary(node, compiling)
    case 'template':
      return compileTemplate(node, compiling)
    case 'logical':
    case 'conditional':
      return compileChoice(node, compiling)
    case 'array':
    case 'object':
      return compileCollection(node, compiling)
    default:
      throw invalid(`\`${node.$expr}\` belongs to programs.`, { kind: node.$expr })
  }
}
