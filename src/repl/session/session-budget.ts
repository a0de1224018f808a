import { budgetLimits } from '../../core/index.ts'
import type { BudgetLimits, BudgetUnit } from '../../core/index.ts'
import { addSpend } from '../../journal/index.ts'
import type { RunEndData, Spend } from '../../journal/index.ts'
import type { CellError } from './cell-result.ts'

/** Limits that apply to each cell separately and are not consumed. */
const NOT_SUMMED: readonly string[] = ['depth', 'memory'] satisfies BudgetUnit[]
/** Rounding precision of the remaining dollars, fuel and milliseconds. */
const FRACTION = 1e9

/** The shared budget of the cells of a session: each cell may spend what the previous ones have left. */
export class SessionBudget {
  readonly #limits: BudgetLimits
  #spent: Spend = {}

  constructor(limits: BudgetLimits | undefined) {
    this.#limits = budgetLimits(limits)
  }

  get isLimited(): boolean {
    return Object.keys(this.#limits).length > 0
  }

  get spent(): Spend {
    return this.#spent
  }

  /** Adds what the original session of a fork has spent. */
  add(spent: Spend): void {
    this.#spent = addSpend(this.#spent, spent)
  }

  /** Adds what an ended cell has spent. */
  count({ spent, activeMs }: Pick<RunEndData, 'spent' | 'activeMs'>): void {
    this.add({ ...spent, timeMs: activeMs })
  }

  /** Returns the budget of the next cell. */
  left(): BudgetLimits {
    const left = Object.entries(this.#limits).map(([unit, limit]) => {
      const used = NOT_SUMMED.includes(unit) ? 0 : (this.#spent[unit as BudgetUnit] ?? 0)
      return [unit, Math.max(0, Math.round((limit - used) * FRACTION) / FRACTION)]
    })
    return Object.fromEntries(left) as BudgetLimits
  }

  /** Adds to the error of an exceeded limit that the budget is shared by the session. */
  explain(error: CellError): CellError {
    const unit = /`budget\.(\w+)`/u.exec(error.message)?.[1] as BudgetUnit | undefined
    const limit = unit === undefined ? undefined : this.#limits[unit]
    if (error.code !== 'LIMIT_EXCEEDED' || limit === undefined) return error
    const message = `${error.message} \`budget\` is that of the session: \`budget.${unit}\` is ${limit} for all of its cells.`
    return { ...error, message }
  }
}
