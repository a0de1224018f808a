import type { Journal } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { isKept } from '../engine/engine.ts'
import type { Engine } from '../engine/engine.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'
import { isWanted, treeOf } from '../nested/run-tree.ts'

interface InboxRecheck {
  readonly run: ActiveRun
  readonly outcome: RunOutcome & { state: 'suspended' }
  /** Set when a signal arrives in an inbox of this tree. */
  readonly live: { again: boolean }
  readonly journal: Journal
  readonly engine: Engine
}

/** Re-reads the inbox after suspending, to close the race with late signals. Returns whether the run has to be resumed. */
export async function mustResume({ run, outcome, live, journal, engine }: InboxRecheck): Promise<boolean> {
  if (outcome.reason === 'disk') return false
  // Scheduled for interrupted runs too: this process may be about to exit, and a distributed engine has the timer from here alone. Children are woken
  // by their parents, and cells of sessions by who resumes the session.
  const { mind, parent } = run.start
  const isWoken = parent === undefined && (engine.placement === undefined || !isKept({ mind }))
  if (outcome.wakeAt !== undefined && isWoken) await engine.schedule(run.id, outcome.wakeAt)
  if (run.interrupted) return false
  const tree = await treeOf(journal, run.id, outcome.pending)
  do {
    live.again = false
    if (await isWanted(journal, tree)) return true
  } while (live.again)
  return false
}
