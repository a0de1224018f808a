import { BUDGET_UNITS } from '../../core/index.ts'
import type { BudgetLimits, BudgetUnit } from '../../core/index.ts'
import type { Spend } from '../../journal/index.ts'

/**
 * Amounts as whole numbers in the order of BUDGET_UNITS. Money is in billionths of a dollar: sums of floating-point dollars drift (three times 0.1 is
 * more than 0.3), so limits would be refused too early or exceeded, and a released reservation would leave a residue. A billionth is a hundredth of
 * the price of one token of the cheapest model, and a safe integer still holds nine million dollars.
 */
export type Amounts = number[]

/** The upper bound of a reservation, so that sums stay finite. */
const AMOUNT_MAX = Number.MAX_SAFE_INTEGER

const MONEY: number = BUDGET_UNITS.indexOf('money')
const FUEL: number = BUDGET_UNITS.indexOf('fuel')
const MONEY_SCALE = 1e9
/** The VM counts fuel in steps of 1/10,000. */
const FUEL_SCALE = 1e4

function scaleOf(index: number): number {
  if (index === MONEY) return MONEY_SCALE
  return index === FUEL ? FUEL_SCALE : 1
}

/** Tolerance for the rounding error of a few thousand additions made elsewhere, far below one unit. */
function slack(scaled: number): number {
  return 1e-3 + scaled * 1e-12
}

/** Zero of every unit. */
export function noAmounts(): Amounts {
  // A plain array: a typed array is several times slower to create, and one is created for every call.
  return BUDGET_UNITS.map(() => 0)
}

/** Converts a spend, rounding up, so that no spend is undercounted. An invalid amount counts as the largest. */
export function amountsOf(spend: Spend): Amounts {
  const amounts = noAmounts()
  for (let i = 0; i < amounts.length; i++) {
    const given = spend[BUDGET_UNITS[i]!]
    if (given !== undefined) amounts[i] = amountOf(given, i)
  }
  return amounts
}

/** The same for one unit. */
export function amountOf(given: number, index: number): number {
  return isAmount(given) ? roundUp(given, index) : AMOUNT_MAX
}

/** Converts limits, rounding down; a missing limit is infinite. */
export function limitsAsAmounts(limits: BudgetLimits): Amounts {
  return BUDGET_UNITS.map((unit, i) => {
    const limit = limits[unit] ?? Number.POSITIVE_INFINITY
    const scaled = limit * scaleOf(i)
    return Number.isFinite(scaled) ? Math.floor(scaled + slack(scaled)) : scaled
  })
}

/** Converts amounts back to a spend, without units that are zero. */
export function spendOf(amounts: Amounts): Spend {
  const spend: { [U in BudgetUnit]?: number } = {}
  for (let i = 0; i < amounts.length; i++) if (amounts[i]! > 0) spend[BUDGET_UNITS[i]!] = natural(amounts[i]!, i)
  return spend
}

/** One amount in the unit of the public API. */
export function natural(amount: number, index: number): number {
  return amount / scaleOf(index)
}

/** Whether a value is a valid amount: finite and not negative. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY
}

function roundUp(given: number, index: number): number {
  const scaled = given * scaleOf(index)
  return Math.min(Math.max(0, Math.ceil(scaled - slack(scaled))), AMOUNT_MAX)
}
