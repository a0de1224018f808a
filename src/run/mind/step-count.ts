import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { Task } from './task.ts'

/** What an earlier stretch of this run has counted under the same parent stays counted. */
export function countSteps(run: ActiveRun, task: Task, count: number): void {
  const fresh = run.steps + count - Math.max(run.steps, run.stepsCounted)
  if (fresh > 0) run.budget.add({ steps: fresh })
  run.steps += count
  task.addSteps(count)
}
