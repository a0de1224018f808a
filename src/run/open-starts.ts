import { foldRun, readAll } from '../journal/index.ts'
import type { Journal, Spend } from '../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import { childId } from './child-id.ts'

/** What an earlier process had in flight stays counted until it is known how it ended. */
export async function claimOpenStarts(run: ActiveRun): Promise<void> {
  const { fold, budget, host, parent } = run
  const children = new Map<string, Spend>()
  for (const key of fold.openStarts) {
    const { kind, reserved } = fold.effects.get(key)!.start!.data
    const isChild = kind === 'agent' || kind === 'program' || kind === 'cell' || kind === 'graph'
    if (isChild && Object.keys(reserved).length === 0) children.set(key, await spentBy(host.journal, run.id, key))
  }
  budget.add(fold.spent)
  for (const key of fold.openStarts)
    run.reservations.set(key, budget.claim(children.get(key) ?? fold.effects.get(key)!.start!.data.reserved))
  // Until now its parent held what it knew of this run; from here on the run counts for itself, in the same moment.
  const held = parent?.reservations.get(fold.start!.parent!.key)
  if (held !== undefined && fold.start!.allotted !== true) parent!.budget.settle(held, {})
}

/** What the child under a key has spent so far, by its own journal. */
export async function spentBy(journal: Journal, parent: string, key: string): Promise<Spend> {
  const fold = foldRun(await readAll(journal, childId(parent, key)))
  return fold.end?.spent ?? fold.spent
}
