import { budgetLimits } from '../../core/index.ts'
import type { BudgetLimits, BudgetUnit } from '../../core/index.ts'
import { addSpend } from '../../journal/index.ts'
import type { RunEndData, Spend } from '../../journal/index.ts'
import type { CellError } from './cell-result.ts'

/** Limits that hold for each cell by itself: nothing of them is used up. */
const NOT_SUMMED: readonly string[] = ['depth', 'memory'] satisfies BudgetUnit[]
/** Parts of a dollar, of fuel or of a millisecond that are told apart. */
const FRACTION = 1e9

/** One budget for all cells of a session: each cell may spend what those before it have left. */
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

  /** Counts what was spent before this session: by the one that it was forked from. */
  add(spent: Spend): void {
    this.#spent = addSpend(this.#spent, spent)
  }

  /** Counts a cell that has ended. */
  count({ spent, activeMs }: Pick<RunEndData, 'spent' | 'activeMs'>): void {
    this.add({ ...spent, timeMs: activeMs })
  }

  /** What the next cell may spend. */
  left(): BudgetLimits {
    const left = Object.entries(this.#limits).map(([unit, limit]) => {
      const used = NOT_SUMMED.includes(unit) ? 0 : (this.#spent[unit as BudgetUnit] ?? 0)
      return [unit, Math.max(0, Math.round((limit - used) * FRACTION) / FRACTION)]
    })
    return Object.fromEntries(left) as BudgetLimits
  }

  /** The error of a cell that met a limit, with what the cells before had spent of it. */
  explain(error: CellError): CellError {
    const unit = /`budget\.(\w+)`/u.exec(error.message)?.[1] as BudgetUnit | undefined
    const limit = unit === undefined ? undefined : this.#limits[unit]
    if (error.code !== 'LIMIT_EXCEEDED' || limit === undefined) return error
    const message = `${error.message} \`budget\` is that of the session: \`budget.${unit}\` is ${limit} for all of its cells.`
    return { ...error, message }
  }
}
