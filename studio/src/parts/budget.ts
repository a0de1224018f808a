import type { RunFold } from '../../../src/journal/run-fold.ts'
import { count, money } from './format.ts'

/** Formats the remaining budget of a run; empty without limits. */
export function budgetLeft({ budget, spent }: Pick<RunFold, 'budget' | 'spent'>): string {
  return Object.entries(budget)
    .filter((limit): limit is [keyof typeof budget, number] => typeof limit[1] === 'number')
    .map(([unit, limit]) => {
      const write = unit === 'money' ? money : count
      return `${write(Math.max(0, limit - (spent[unit] ?? 0)))} of ${write(limit)} ${unit === 'money' ? '' : unit}`.trim()
    })
    .join(', ')
}
