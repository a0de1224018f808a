import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { Task } from './task.ts'

/** Counts steps in the budget, without those that an earlier segment has counted under the same parent. */
export function countSteps(run: ActiveRun, task: Task, count: number): void {
  const fresh = run.steps + count - Math.max(run.steps, run.stepsCounted)
  if (fresh > 0) run.budget.add({ steps: fresh })
  run.steps += count
  task.addSteps(count)
}
