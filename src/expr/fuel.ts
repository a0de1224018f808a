import type { ExprLimits } from './limits.ts'
import { overLimit } from './errors.ts'

/** One public unit of fuel in the whole numbers it is counted in, so that every machine counts alike. */
const FUEL_SCALE = 10_000
/** What one node costs: 0.01 public units. */
export const NODE_COST = 100
/** What one character costs that is read or made. */
export const CHAR_COST = 1
/** What one member of a list or object costs that is read or made. */
export const ITEM_COST = 10

/** What may still be spent, in whole units; evaluating takes from it. */
export interface Fuel {
  left: number
  /** What it started with, for the error. */
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

/** Takes units, or ends the evaluation. */
export function spend(fuel: Fuel, units: number): void {
  if ((fuel.left -= units) < 0) throw overLimit('fuel', fuel.total / FUEL_SCALE)
}

/** What work is measured with. */
export interface Meter {
  readonly fuel: Fuel
  readonly limits: ExprLimits
}

/** Checks how long a text or list will be, and takes the cost of what is added to it, before it is. */
export function payFor(
  limit: 'stringLength' | 'arrayLength',
  { fuel, limits }: Meter,
  total: number,
  added: number = total,
): void {
  if (total > limits[limit]) throw overLimit(limit, limits[limit])
  spend(fuel, added * (limit === 'stringLength' ? CHAR_COST : ITEM_COST))
}
