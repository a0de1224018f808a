import { MandateError, errorInfo } from '../core/index.ts'
import type { ErrorInfo, Json } from '../core/index.ts'
import { addSpend } from '../journal/index.ts'
import type { PendingItem, RunEndData, RunEndState, RunSuspendData, SuspendReason } from '../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import type { RunOutcome } from './run-outcome.ts'
import { killed } from './recall.ts'

/** Writes the last entry of a run and lets go of it. What state it ends in is decided here and nowhere else. */
export async function endRun(run: ActiveRun, state: RunEndState, output: Json, error?: ErrorInfo): Promise<void> {
  // Nothing may follow the last entry, whatever a strategy or a signal still has to say.
  run.close()
  const data: RunEndData = {
    state,
    output,
    ...(error === undefined ? {} : { error }),
    activeMs: run.activeMs(),
    spent: addSpend(run.fold.spent, { steps: run.steps }),
    ...(run.shown.all.length === 0 ? {} : { labels: run.shown.all }),
  }
  const entry = run.writer.add('run-end', undefined, data)
  await run.writer.flush()
  // Read back from the entry: who waits for the run and who asks for it later are told the same.
  run.finish(outcomeOf(run.id, entry.data as unknown as RunEndData))
}

/** What a finished run came to, as its `run-end` says. */
export function outcomeOf(run: string, end: RunEndData): RunOutcome {
  const output = end.output ?? null
  const made = end.labels === undefined ? {} : { labels: end.labels }
  switch (end.state) {
    case 'completed':
      return { state: 'completed', run, output, ...made }
    case 'cancelled':
      return { state: 'cancelled', run, reason: end.error?.message ?? 'cancelled', output, ...made }
    case 'failed':
      return {
        state: 'failed',
        run,
        error: end.error ?? { code: 'INTERNAL', message: 'The run failed.' },
        output,
        ...made,
      }
  }
}

const URGENCY: readonly SuspendReason[] = ['disk', 'in-doubt', 'approval', 'question', 'interrupt', 'timer']

/** Everything that is left waits for the outside: the mind is dropped, the journal stays. */
export async function suspendRun(run: ActiveRun): Promise<void> {
  const pending: PendingItem[] = [...run.parked.values()].flatMap((parked) => [...parked.pending])
  const reasons = [...run.parked.values()].map((parked) => parked.reason)
  const reason = URGENCY.find((candidate) => reasons.includes(candidate)) ?? 'interrupt'
  const wakeTimes = [...run.parked.values()].flatMap((parked) => (parked.wakeAt === undefined ? [] : [parked.wakeAt]))
  const wakeAt = wakeTimes.length === 0 ? undefined : Math.min(...wakeTimes)
  const data: RunSuspendData = {
    reason,
    pending,
    ...(wakeAt === undefined ? {} : { wakeAt }),
    activeMs: run.activeMs(),
  }
  run.writer.add('run-suspend', undefined, data)
  await run.writer.flush()
  run.finish({
    state: 'suspended',
    run: run.id,
    reason,
    pending,
    wakeAt,
    ...(run.diskError === undefined ? {} : { error: run.diskError }),
  })
}

/** The gate ended the run itself. No mind can catch this: it is taken down with its outcome never delivered. */
export function kill(run: ActiveRun, decision: { reason: string; rule: string }): void {
  run.abort(killed(decision))
}

const NOT_OURS: ReadonlySet<string> = new Set(['LEASE_LOST', 'JOURNAL_CONFLICT', 'RUN_STATE', 'CLOSED'])

/** The journal cannot be written. The run is not over: what is on disk is the truth, and it is resumed from there. */
export function loseJournal(run: ActiveRun, error: unknown): void {
  run.close()
  run.abort(new MandateError('STORE_FAILED', 'The journal cannot be written.', { cause: error }))
  // Whoever resumes it asks what became of the calls that were cut; none of them may still be under way.
  run.calls.whenStill().then(
    () => leave(run, error),
    () => {},
  )
}

async function leave(run: ActiveRun, error: unknown): Promise<void> {
  const info = errorInfo(error, 'STORE_FAILED')
  if (NOT_OURS.has(info.code)) return run.fail(error)
  // A run whose first entry was never stored is not there to be resumed, so it must not be called suspended.
  const isStored = run.lease.head.seq > 0 || (await run.host.journal.summary(run.id).catch(() => null)) !== undefined
  if (isStored) run.finish({ state: 'suspended', run: run.id, reason: 'disk', pending: [], error: info })
  else run.fail(error)
}
