import type { IntactEntry } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'

type End = IntactEntry<'run-end'>

const listeners = new WeakMap<ActiveRun, ((end: End) => void)[]>()

/** Calls back once the journal has acknowledged the last entry of the run. Never called if this process does not write that entry. */
export function listenForEnd(run: ActiveRun, told: (end: End) => void): void {
  const known = listeners.get(run)
  if (known === undefined) listeners.set(run, [told])
  else known.push(told)
}

/** Tells the listeners of a run about its last entry, which is stored. */
export function announceEnd(run: ActiveRun, end: End): void {
  for (const told of listeners.get(run) ?? []) told(end)
}
