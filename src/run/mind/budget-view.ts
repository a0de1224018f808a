import type { BudgetLimits, BudgetUnit } from '../../core/index.ts'
import type { Budget } from '../../gate/index.ts'
import type { Spend } from '../../journal/index.ts'

/** A mind's read-only view of its run's budget. */
export interface BudgetView {
  /** The limits of this run; those of the runs above it apply as well. */
  readonly limits: BudgetLimits
  /** The spend of this run and all runs below it. */
  readonly spent: Spend
  /** The reservations of calls in flight, in this run and below it. */
  readonly reserved: Spend
  /** What is left of everything that is limited here or above. */
  remaining(): BudgetLimits
  /** Whether this unit is limited here or above. */
  isLimited(unit: BudgetUnit): boolean
}

const views = new WeakMap<Budget, BudgetView>()

/** Creates the view of a budget. */
export function budgetView(budget: Budget): BudgetView {
  const known = views.get(budget)
  if (known !== undefined) return known
  const view: BudgetView = Object.freeze({
    get limits() {
      return { ...budget.limits }
    },
    get spent() {
      return budget.spent
    },
    get reserved() {
      return budget.reserved
    },
    remaining: () => budget.remaining(),
    isLimited: (unit: BudgetUnit) => budget.isLimited(unit),
  })
  views.set(budget, view)
  return view
}
