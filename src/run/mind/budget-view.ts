import type { BudgetLimits, BudgetUnit } from '../../core/index.ts'
import type { Budget } from '../../gate/index.ts'
import type { Spend } from '../../journal/index.ts'

/** What a mind may know of the budget of its run. Nothing can be spent or raised through it. */
export interface BudgetView {
  /** The limits of this run; those of the runs above it hold as well. */
  readonly limits: BudgetLimits
  /** What this run and all below it have spent. */
  readonly spent: Spend
  /** What calls in flight, here and below, have claimed. */
  readonly reserved: Spend
  /** What is left of everything that is limited here or above. */
  remaining(): BudgetLimits
  /** Whether a limit on this unit holds here or above. */
  isLimited(unit: BudgetUnit): boolean
}

const views = new WeakMap<Budget, BudgetView>()

/** The one view of a budget. */
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
