import { checkFields, checkNumbers } from '../core/index.ts'

/** Limits of expressions. All are on, and each error names its limit. */
export interface ExprLimits {
  /** Characters of a condition text. */
  readonly textLength: number
  /** Nodes of one expression, including members of its literals. */
  readonly nodes: number
  /** The maximum nesting of nodes. */
  readonly depth: number
  /** Fuel of one evaluation without given fuel, in public units. */
  readonly fuel: number
  /** Characters of a text that an expression creates. */
  readonly stringLength: number
  /** Members of a list that an expression creates. */
  readonly arrayLength: number
}

const EXPR_LIMITS: ExprLimits = Object.freeze({
  textLength: 20_000,
  nodes: 10_000,
  depth: 200,
  fuel: 100,
  stringLength: 1_000_000,
  arrayLength: 100_000,
})

/** Merges limits with the defaults; refuses unknown names. */
export function exprLimits(given?: Partial<ExprLimits>): ExprLimits {
  checkFields(given, 'a limit of expressions', { ...EXPR_LIMITS })
  checkNumbers(given, 'a limit of expressions', {
    ...{ textLength: 'count', nodes: 'count', depth: 'count' },
    ...{ fuel: 'amount', stringLength: 'count', arrayLength: 'count' },
  })
  return { ...EXPR_LIMITS, ...given }
}
