import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { Task } from './task.ts'

/** The strands of the strategies that each run is asking. */
const asked = new WeakMap<ActiveRun, Set<Task>>()

/** A strategy is asked, until the returned function is called. */
export function beginDecision(run: ActiveRun, strand: Task): () => void {
  const open = asked.get(run) ?? new Set()
  asked.set(run, open.add(strand))
  return () => void open.delete(strand)
}

/** A strategy that waits for no effect is busy with itself: what it is about to decide would be lost, and asked for again. */
export function isDeciding(run: ActiveRun): boolean {
  for (const strand of asked.get(run) ?? []) if (strand.waits === 0 && !strand.isClosed) return true
  return false
}
