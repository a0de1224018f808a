import type { ActiveRun } from '../lifecycle/active-run.ts'

/** Whether the mind has requested a recorded effect, or the recorded decision inside which it was requested. */
export function wasRequested(run: ActiveRun, key: string): boolean {
  if (run.asked.has(key)) return true
  const above = key.lastIndexOf('/')
  return above > 0 && wasRequested(run, key.slice(0, above))
}

/** The first recorded effect or entry that a mind which has ended did not request. */
export function findUnrequested(run: ActiveRun): string | undefined {
  const { fold, delivery } = run
  const owed = [delivery.unclaimed(), ...fold.openStarts, ...fold.messages.keys()]
  return owed.find((key) => key !== undefined && !wasRequested(run, key))
}
