import type { Journal } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { Engine } from '../engine/engine.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'
import { isWanted, treeOf } from '../nested/run-tree.ts'

interface PutAway {
  readonly run: ActiveRun
  readonly outcome: RunOutcome & { state: 'suspended' }
  /** Says when something was put into an inbox of this tree. */
  readonly live: { again: boolean }
  readonly journal: Journal
  readonly engine: Engine
}

/** Re-reads the inbox after suspending, to close the race with late signals; tells whether the run has to be resumed. */
export async function hasNews({ run, outcome, live, journal, engine }: PutAway): Promise<boolean> {
  if (outcome.reason === 'disk') return false
  // Also for a run that was interrupted: this process may be about to end, and an engine past one machine has the timer from here alone.
  if (outcome.wakeAt !== undefined && run.parent === undefined) await engine.schedule(run.id, outcome.wakeAt)
  if (run.interrupted) return false
  const tree = await treeOf(journal, run.id, outcome.pending)
  do {
    live.again = false
    if (await isWanted(journal, tree)) return true
  } while (live.again)
  return false
}
