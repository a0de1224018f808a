import { MandateError } from '../../core/index.ts'
import type { ErrorInfo, Json } from '../../core/index.ts'
import { addSpend } from '../../journal/index.ts'
import type { RunEndData, RunEndState } from '../../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import { announceEnd } from '../mind/end-listeners.ts'
import { usedBy } from '../mind/fuel.ts'
import type { RunOutcome } from './run-outcome.ts'
import { killed } from './prior-interruptions.ts'
import { leave } from './suspend-run.ts'

/** Writes the last entry of a run and settles the promises that wait for its outcome. The only place that decides the final state of a run. */
export async function endRun(run: ActiveRun, state: RunEndState, output: Json, error?: ErrorInfo): Promise<void> {
  // Nothing may follow the last entry, not even entries of a strategy or a signal that is still being processed.
  run.close()
  const data: RunEndData = {
    state,
    output,
    ...(error === undefined ? {} : { error }),
    activeMs: run.activeMs(),
    spent: addSpend(run.fold.spent, { steps: run.steps, ...usedBy(run) }),
    ...(run.shown.all.length === 0 ? {} : { labels: run.shown.all }),
  }
  const entry = run.writer.add('run-end', undefined, data)
  await run.writer.flush()
  // Read back from the entry, so that waiting callers and later readers get the same result.
  run.finish(outcomeOf(run.id, entry.data))
  announceEnd(run, entry)
}

/** The outcome in a `run-end` entry. */
export function outcomeOf(run: string, end: RunEndData): RunOutcome {
  const { state, error, labels } = end
  const made = { run, output: end.output ?? null, ...(labels === undefined ? {} : { labels }) }
  if (state === 'completed') return { state, ...made }
  if (state === 'cancelled') return { state, reason: error?.message ?? 'cancelled', ...made }
  return { state, error: error ?? { code: 'INTERNAL', message: 'The run failed.' }, ...made }
}

/** Ends the run by a decision of the gate. The mind cannot catch this: the outcome is never delivered to it. */
export function kill(run: ActiveRun, decision: { reason: string; rule: string }): void {
  run.abort(killed(decision))
}

/** Ends the segment after the journal could not be written. The run is not over: it is resumed from what is stored. */
export function onJournalFailure(run: ActiveRun, error: unknown): void {
  run.close()
  run.abort(new MandateError('STORE_FAILED', 'The journal cannot be written.', { cause: error }))
  // On resume, aborted calls are reconciled, so none of them may still be in flight.
  run.calls.whenStill().then(
    () => leave(run, error),
    () => {},
  )
}
