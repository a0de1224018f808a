import { errorInfo, within } from '../../core/index.ts'
import type { PendingItem, RunSuspendData, SuspendReason } from '../../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import { usedBy } from '../mind/fuel.ts'

const URGENCY: readonly SuspendReason[] = ['disk', 'in-doubt', 'approval', 'question', 'interrupt', 'timer']

/** Suspends a run in which everything waits for something outside: the mind is dropped, the journal stays. */
export async function suspendRun(run: ActiveRun): Promise<void> {
  const { reason, pending, wakeAt } = await writeSuspension(run)
  run.finish({
    state: 'suspended',
    run: run.id,
    reason,
    pending,
    wakeAt,
    ...(run.diskError === undefined ? {} : { error: run.diskError }),
  })
}

/** Writes the last entry of a segment. */
async function writeSuspension(run: ActiveRun): Promise<RunSuspendData> {
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
    ...(run.computed.fuel > 0 ? { spent: usedBy(run) } : {}),
  }
  run.writer.add('run-suspend', undefined, data)
  await run.writer.flush()
  return data
}

const NOT_OURS: ReadonlySet<string> = new Set(['LEASE_LOST', 'JOURNAL_CONFLICT', 'RUN_STATE', 'CLOSED'])

/** Releases a run whose journal cannot be written. */
export async function leave(run: ActiveRun, error: unknown): Promise<void> {
  const info = errorInfo(error, 'STORE_FAILED')
  if (NOT_OURS.has(info.code)) return run.fail(error)
  // A run whose first entry was never stored cannot be resumed, so it must not be called suspended.
  const isStored = run.lease.head.seq > 0 || (await isKnown(run))
  if (isStored) run.finish({ state: 'suspended', run: run.id, reason: 'disk', pending: [], error: info })
  else run.fail(error)
}

/** Whether the store has the run; assumed if the store does not answer. */
async function isKnown({ host: { clock, journal, limits }, id }: ActiveRun): Promise<boolean> {
  const asked = journal.summary(id).then(
    (summary) => summary !== undefined,
    () => true,
  )
  return within(clock, limits.stopTimeoutMs, asked, () => true)
}

/**
 * Ends the segment of a run that this process cannot continue. Where something was written, an answer for example, the run is left suspended: nobody drives
 * it any more.
 */
export function breakOff(run: ActiveRun, error: unknown): void {
  if (!isHereOnly(error) || run.writer.head.seq === run.lease.head.seq) return run.fail(error)
  run.close()
  writeSuspension(run).then(
    () => run.fail(error),
    (failure: unknown) => run.failUnlessLost(failure),
  )
}

/** Whether an error is about this process, and says nothing about the run. */
export function isHereOnly(error: unknown): boolean {
  return HERE_ONLY.has(errorInfo(error).code)
}

/** Errors of a process that lacks what the run needs, or is another version. */
const HERE_ONLY: ReadonlySet<string> = new Set(['NOT_FOUND', 'VERSION_UNSUPPORTED'])
