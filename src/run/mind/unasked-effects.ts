import type { ActiveRun } from '../lifecycle/active-run.ts'

/** Whether the mind has asked for something, or for the strategy inside which it was asked: what a recorded strategy did is not done again. */
export function isAsked(run: ActiveRun, key: string): boolean {
  if (run.asked.has(key)) return true
  const above = key.lastIndexOf('/')
  return above > 0 && isAsked(run, key.slice(0, above))
}

/** The first recorded effect or entry that a mind which has ended never requested or emitted. */
export function findMissed(run: ActiveRun): string | undefined {
  const { fold, delivery } = run
  const owed = [delivery.unclaimed(), ...fold.openStarts, ...fold.messages.keys()]
  return owed.find((key) => key !== undefined && !isAsked(run, key))
}
