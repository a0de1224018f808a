import { BUDGET_UNITS } from '../../core/index.ts'
import type { BudgetLimits, BudgetUnit } from '../../core/index.ts'
import type { Spend } from '../../journal/index.ts'

/**
 * What is counted, as whole numbers in the order of BUDGET_UNITS. Money is in billionths of a dollar: sums of dollars as floating-point numbers drift
 * (three times 0.1 is more than 0.3), so a limit would be refused too early or passed, and a claim given back would leave a residue.
 * A billionth is a hundredth of what one token of the cheapest model costs, and a safe integer still holds nine million dollars of them.
 */
export type Amounts = number[]

/** No claim counts for more, so that sums stay finite. */
const AMOUNT_MAX = Number.MAX_SAFE_INTEGER

const MONEY: number = BUDGET_UNITS.indexOf('money')
const FUEL: number = BUDGET_UNITS.indexOf('fuel')
const MONEY_SCALE = 1e9
/** A machine counts ten thousandths of fuel. */
const FUEL_SCALE = 1e4

function scaleOf(index: number): number {
  if (index === MONEY) return MONEY_SCALE
  return index === FUEL ? FUEL_SCALE : 1
}

/** Room for the error of a few thousand additions made elsewhere, far below one unit of anything. */
function slack(scaled: number): number {
  return 1e-3 + scaled * 1e-12
}

/** Nothing of anything. */
export function noAmounts(): Amounts {
  // A plain list: a typed array costs several times as much to make, and one is made for every call.
  return BUDGET_UNITS.map(() => 0)
}

/** Counts a spend, rounding up: what was counted is never less than what was spent. What is no amount at all counts as the largest. */
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

/** Counts limits, rounding down; what is not limited is infinite. */
export function limitsAsAmounts(limits: BudgetLimits): Amounts {
  return BUDGET_UNITS.map((unit, i) => {
    const limit = limits[unit] ?? Number.POSITIVE_INFINITY
    const scaled = limit * scaleOf(i)
    return Number.isFinite(scaled) ? Math.floor(scaled + slack(scaled)) : scaled
  })
}

/** The spend behind amounts, without the units of which there is nothing. */
export function spendOf(amounts: Amounts): Spend {
  const spend: { [U in BudgetUnit]?: number } = {}
  for (let i = 0; i < amounts.length; i++) if (amounts[i]! > 0) spend[BUDGET_UNITS[i]!] = natural(amounts[i]!, i)
  return spend
}

/** One amount in the unit that people use. */
export function natural(amount: number, index: number): number {
  return amount / scaleOf(index)
}

/** Whether something can be counted: from zero up, and finite. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY
}

function roundUp(given: number, index: number): number {
  const scaled = given * scaleOf(index)
  return Math.min(Math.max(0, Math.ceil(scaled - slack(scaled))), AMOUNT_MAX)
}
