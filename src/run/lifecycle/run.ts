import { MandateError, canonical } from '../../core/index.ts'
import type { ErrorInfo, Json } from '../../core/index.ts'
import type { ActiveRun } from './active-run.ts'
import type { ParkedEffect, RunOutcome } from './run-outcome.ts'
import { TaskContext } from '../mind/context.ts'
import { endRun } from './end-run.ts'
import { clip, plainError } from './failure.ts'
import { Inbox } from '../inbox/inbox.ts'
import { keepLease } from './lease.ts'
import { isDeciding } from '../mind/open-decisions.ts'
import { findUnrequested } from '../mind/unrequested-effects.ts'
import { MindStop } from '../mind/mind.ts'
import { Task } from '../mind/task.ts'
import { diverge } from '../mind/divergence.ts'
import { breakOff, suspendRun } from './suspend-run.ts'
import { outputError } from './start-errors.ts'
import { watchTime } from './time-watch.ts'

/** Drives one run until its mind ends, suspends or reaches a limit. This file only sequences: decisions are made in `gate`, history is in `journal`. */
export async function drive(run: ActiveRun): Promise<RunOutcome> {
  const inbox = new Inbox(run)
  const stopRenewing = keepLease(run)
  const fail = (key: string): void => diverge(run, key, 'an effect with this key', 'the mind never asked for it')
  const look = (): void => settle(run)
  run.onStall = fail
  try {
    if (run.budget.isLimited('timeMs')) watchTime(run)
    run.readInbox = () => inbox.read()
    await inbox.open()
    run.onIdle = look
    if (!run.ended) void runMind(run).catch((error: unknown) => run.failUnlessLost(error))
    return await run.done
  } finally {
    stopRenewing()
    inbox.close()
  }
}

/** The output of a mind, or the error that it threw. */
export type MindResult = { readonly output: Json } | { readonly error: unknown }

/** Runs the mind, and ends the run with its result. */
async function runMind(run: ActiveRun): Promise<void> {
  const result = await mindResult(run)
  if (run.ended) return
  const { abortReason } = run
  if (isUnfit(result)) return run.fail(result.error)
  const missed = abortReason === undefined ? findUnrequested(run) : undefined
  if (missed !== undefined) return diverge(run, missed, 'something under this key', endedWithout(result))
  run.pendingEntries.writeHeld()
  // Effects that the mind started and did not await are aborted, and their ends are written before that of the run.
  if (run.active > 0 || run.parked.size > 0)
    run.abort(new MandateError('CANCELLED', 'The mind ended without waiting for this.'))
  run.dropMind()
  await run.whenQuiet()
  if (run.ended) return
  await conclude(run, result, abortReason)
}

/** Whether the mind refused to execute the run: it says nothing about the run, which another version of the mind can continue. */
export function isUnfit(result: MindResult): result is { readonly error: MandateError } {
  return 'error' in result && MandateError.isInstance(result.error) && result.error.code === 'VERSION_UNSUPPORTED'
}

/** Describes a mind that ended before it had requested everything recorded; its own error is the cause. */
export function endedWithout(result: MindResult): string {
  if (!('error' in result)) return 'the mind ended without it'
  const { code, message } = plainError(result.error, 'MIND_FAILED')
  return clip(`the mind failed without it: ${code} ${message}`)
}

/** Starts the mind, in a live run and in a replay. */
export async function startMind(run: ActiveRun): Promise<MindResult> {
  let output: Json
  try {
    output = (await run.mind.start(run.start.input, new TaskContext(run, new Task('', run.start.seed)))) ?? null
  } catch (error) {
    return { error }
  }
  try {
    canonical(output)
    return { output }
  } catch (cause) {
    return { error: outputError(run.mind, cause) }
  }
}

/** The result of the mind. After a cancellation it gets a grace period; after a kill by the gate it gets none. */
function mindResult(run: ActiveRun): Promise<MindResult> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      const error = run.abortReason
      if (run.ended) return
      if (error?.code === 'KILLED') resolve({ error })
      else run.onClose(run.host.clock.timer(run.limits.cancelGraceMs * 3, () => resolve({ error })))
    }
    startMind(run).then(resolve, reject)
    if (run.signal.aborted) onAbort()
    else run.onAbort(onAbort)
  })
}

/** A cancellation or kill determines the end of the run, regardless of the result of the mind. */
function conclude(run: ActiveRun, result: MindResult, abortReason: MandateError | undefined): Promise<void> {
  const output = 'output' in result ? result.output : result.error instanceof MindStop ? result.error.output : null
  if (abortReason === undefined && 'output' in result) return endRun(run, 'completed', output)
  const info: ErrorInfo = plainError(abortReason ?? (result as { error: unknown }).error, 'MIND_FAILED')
  return endRun(run, info.code === 'CANCELLED' && abortReason !== undefined ? 'cancelled' : 'failed', output, info)
}

/** Called whenever the mind has nothing to do until an effect ends: suspends the run if all remaining effects wait for something outside. */
function settle(run: ActiveRun): void {
  run.checkQuiet()
  if (run.ended || run.active > 0 || run.signal.aborted || run.delivery.replaying) return
  if (!run.interrupted && (run.parked.size === 0 || [...run.parked.values()].some((parked) => isSoonOver(run, parked))))
    return
  if (!run.interrupted && isDeciding(run)) return
  if (run.broken !== undefined) return breakOff(run, run.broken)
  run.close()
  suspendRun(run).catch((error: unknown) => run.failUnlessLost(error))
}

/** Whether an approver in this process is about to answer, or the wait is too short to be worth a suspension. */
function isSoonOver(run: ActiveRun, parked: ParkedEffect): boolean {
  return (
    parked.live || (parked.reason === 'timer' && (parked.wakeAt ?? 0) - run.host.clock.now() <= run.limits.liveSleepMs)
  )
}
