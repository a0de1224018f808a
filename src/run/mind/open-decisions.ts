import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { Task } from './task.ts'

/** The tasks of the strategies that are currently deciding, by run. */
const asked = new WeakMap<ActiveRun, Set<Task>>()

/** Marks a strategy as deciding until the returned function is called. */
export function beginDecision(run: ActiveRun, task: Task): () => void {
  const open = asked.get(run) ?? new Set()
  asked.set(run, open.add(task))
  return () => void open.delete(task)
}

/** Whether a strategy is computing without waiting for an effect: its decision would be lost by a suspension, and made again. */
export function isDeciding(run: ActiveRun): boolean {
  for (const task of asked.get(run) ?? []) if (task.waits === 0 && !task.isClosed) return true
  return false
}
