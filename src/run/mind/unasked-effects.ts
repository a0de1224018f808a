import type { ActiveRun } from '../lifecycle/active-run.ts'

/** Whether the mind has asked for something, or for the strategy inside which it was asked: what a recorded strategy did is not done again. */
export function isAsked(run: ActiveRun, key: string): boolean {
  if (run.asked.has(key)) return true
  const above = key.lastIndexOf('/')
  return above > 0 && isAsked(run, key.slice(0, above))
}

/** Something the journal has and a mind that came to its end never asked for or said; the first of what is still known to be owed. */
export function findMissed(run: ActiveRun): string | undefined {
  const { fold, delivery } = run
  const owed = [delivery.unclaimed(), ...fold.openStarts, ...fold.messages.keys()]
  return owed.find((key) => key !== undefined && !isAsked(run, key))
}
