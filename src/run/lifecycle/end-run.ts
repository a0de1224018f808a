import { MandateError } from '../../core/index.ts'
import type { ErrorInfo, Json } from '../../core/index.ts'
import { addSpend } from '../../journal/index.ts'
import type { RunEndData, RunEndState } from '../../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import { usedBy } from '../mind/fuel.ts'
import type { RunOutcome } from './run-outcome.ts'
import { killed } from './prior-interruptions.ts'
import { leave } from './suspend-run.ts'

/** Writes the last entry of a run and lets go of it. What state it ends in is decided here and nowhere else. */
export async function endRun(run: ActiveRun, state: RunEndState, output: Json, error?: ErrorInfo): Promise<void> {
  // Nothing may follow the last entry, whatever a strategy or a signal still has to say.
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
}

/** What a finished run came to, as its `run-end` says. */
export function outcomeOf(run: string, end: RunEndData): RunOutcome {
  const { state, error, labels } = end
  const made = { run, output: end.output ?? null, ...(labels === undefined ? {} : { labels }) }
  if (state === 'completed') return { state, ...made }
  if (state === 'cancelled') return { state, reason: error?.message ?? 'cancelled', ...made }
  return { state, error: error ?? { code: 'INTERNAL', message: 'The run failed.' }, ...made }
}

/** The gate ended the run itself. No mind can catch this: it is taken down with its outcome never delivered. */
export function kill(run: ActiveRun, decision: { reason: string; rule: string }): void {
  run.abort(killed(decision))
}

/** The journal cannot be written. The run is not over: what is on disk is the truth, and it is resumed from there. */
export function loseJournal(run: ActiveRun, error: unknown): void {
  run.close()
  run.abort(new MandateError('STORE_FAILED', 'The journal cannot be written.', { cause: error }))
  // On resume, aborted calls are reconciled; none of them may still be in flight.
  run.calls.whenStill().then(
    () => leave(run, error),
    () => {},
  )
}
