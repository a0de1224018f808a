import type { ExprLimits } from './limits.ts'
import { overLimit } from './errors.ts'

/** Integer units per public unit of fuel; integers, so that all machines count equally. */
const FUEL_SCALE = 10_000
/** Cost of one node: 0.01 public units. */
export const NODE_COST = 100
/** Cost of one character read or created. */
export const CHAR_COST = 1
/** Cost of one member of a list or object read or created. */
export const ITEM_COST = 10

/** Remaining fuel in integer units; evaluation spends it. */
export interface Fuel {
  left: number
  /** The initial amount, for the error message. */
  readonly total: number
}

/**
 * Fuel for one or more evaluations, in public units.
 *
 * @example
 * ```ts
 * import { compileExpr, fuelOf, parseCondition } from 'mandate/expr'
 * const fuel = fuelOf(1)
 * compileExpr(parseCondition('a + b'))({ a: 1, b: 2 }, fuel)
 * fuel.left // 9_700 of 10_000
 * ```
 */
export function fuelOf(units: number): Fuel {
  const total = Math.floor(units * FUEL_SCALE)
  if (!(total >= 0 && total < Infinity)) throw overLimit('fuel', units)
  return { left: total, total }
}

/** Spends units, or throws LIMIT_EXCEEDED. */
export function spend(fuel: Fuel, units: number): void {
  if ((fuel.left -= units) < 0) throw overLimit('fuel', fuel.total / FUEL_SCALE)
}

/** Fuel and limits of an evaluation. */
export interface Meter {
  readonly fuel: Fuel
  readonly limits: ExprLimits
}

/** Checks the size of a text or list and charges for the added part, before it is created. */
export function payFor(
  limit: 'stringLength' | 'arrayLength',
  { fuel, limits }: Meter,
  total: number,
  added: number = total,
): void {
  if (total > limits[limit]) throw overLimit(limit, limits[limit])
  spend(fuel, added * (limit === 'stringLength' ? CHAR_COST : ITEM_COST))
}
