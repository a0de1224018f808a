import { MandateError, canonical, messageOf } from '../core/index.ts'
import type { ErrorInfo, Json } from '../core/index.ts'
import { describeLimit } from '../gate/index.ts'
import type { ActiveRun } from './active-run.ts'
import type { ParkedEffect, RunOutcome } from './run-outcome.ts'
import { StrandContext } from './context.ts'
import { endRun } from './ending.ts'
import { plainError } from './failure.ts'
import { Inbox } from './inbox.ts'
import { runLater } from './later.ts'
import { findMissed } from './missed.ts'
import { MindStop } from './mind.ts'
import { takeDown } from './takedown.ts'
import { Task } from './task.ts'

/** Drives one run until its mind ends, suspends or meets a limit. This file only sequences; deciding is in `gate`, remembering in `journal`. */
export async function drive(run: ActiveRun): Promise<RunOutcome> {
  const inbox = new Inbox(run)
  const stops = [watchTime(run), renewLease(run), () => inbox.close()]
  const fail = (key: string): void =>
    void runLater(({ diverge }) => diverge(run, key, 'an effect with this key', 'the mind never asked for it'))
  const look = (): void => settle(run)
  run.onStall = fail
  try {
    await inbox.open()
    run.onIdle = look
    if (!run.ended) void think(run).catch((error: unknown) => run.failUnlessLost(error))
    return await run.done
  } finally {
    for (const stop of stops) stop()
  }
}

/** What a mind came to. */
export type Thought = { readonly output: Json } | { readonly error: unknown }

/** Lets the mind think, and ends the run with what it came to. */
async function think(run: ActiveRun): Promise<void> {
  const thought = await Promise.race([startMind(run), takenDown(run)])
  if (run.ended) return
  const takenDownBy = run.abortReason
  const missed = takenDownBy === undefined ? findMissed(run) : undefined
  if (missed !== undefined)
    return runLater(({ diverge }) => diverge(run, missed, 'something under this key', 'the mind ended without it'))
  const unread = run.sayings.ready(null)
  if (unread !== undefined) await unread
  run.sayings.writeHeld()
  // What the mind started and did not wait for is cut, and its ends are written, before the run's own.
  if (run.active > 0 || run.parked.size > 0)
    run.abort(new MandateError('CANCELLED', 'The mind ended without waiting for this.'))
  run.dropMind()
  await run.whenQuiet()
  if (run.ended) return
  await conclude(run, thought, takenDownBy)
}

/** Starts the mind, here and in a replay alike. */
export async function startMind(run: ActiveRun): Promise<Thought> {
  try {
    const output = await run.mind.start(run.start.input, new StrandContext(run, new Task('', run.start.seed)))
    return { output: checkOutput(run, output ?? null) }
  } catch (error) {
    return { error }
  }
}

function checkOutput(run: ActiveRun, output: Json): Json {
  try {
    canonical(output)
    return output
  } catch (cause) {
    const { kind, name } = run.mind
    throw new MandateError(
      'OUTPUT_INVALID',
      `What the ${kind} "${name}" returned is not plain data: ${messageOf(cause)} Return JSON from it.`,
      { cause },
    )
  }
}

/** A mind that is told to stop gets a moment to do so; one the gate has killed gets none. */
function takenDown(run: ActiveRun): Promise<Thought> {
  return new Promise((resolve) => {
    const onAbort = (): void => {
      const error = run.abortReason
      if (run.ended) return
      if (error?.code === 'KILLED') resolve({ error })
      else run.onClose(run.host.clock.timer(run.limits.cancelGraceMs * 3, () => resolve({ error })))
    }
    if (run.signal.aborted) onAbort()
    else run.signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** Whoever took the run down is why it ended, whatever the mind made of it. */
async function conclude(run: ActiveRun, thought: Thought, takenDownBy: MandateError | undefined): Promise<void> {
  const output = 'output' in thought ? thought.output : thought.error instanceof MindStop ? thought.error.output : null
  if (takenDownBy === undefined && 'output' in thought) return endRun(run, 'completed', output)
  const info: ErrorInfo = plainError(takenDownBy ?? (thought as { error: unknown }).error, 'MIND_FAILED')
  return endRun(run, info.code === 'CANCELLED' && takenDownBy !== undefined ? 'cancelled' : 'failed', output, info)
}

/** Called whenever the mind has nothing more to do by itself: suspends the run if all that is left waits for the outside. */
function settle(run: ActiveRun): void {
  run.checkQuiet()
  if (run.ended || run.active > 0 || run.signal.aborted || run.delivery.replaying) return
  if (!run.interrupted && (run.parked.size === 0 || [...run.parked.values()].some((parked) => isSoonOver(run, parked))))
    return
  if (run.broken !== undefined) return run.fail(run.broken)
  run.close()
  Promise.resolve(runLater(({ suspendRun }) => suspendRun(run))).catch(() => {})
}

/** Somebody here is about to answer, or the wait is too short to be worth a suspension. */
function isSoonOver(run: ActiveRun, parked: ParkedEffect): boolean {
  return (
    parked.live || (parked.reason === 'timer' && (parked.wakeAt ?? 0) - run.host.clock.now() <= run.limits.liveSleepMs)
  )
}

/** Wall time is the one limit that is passed by doing nothing, so someone has to watch it. */
function watchTime(run: ActiveRun): () => void {
  let stop: () => void = () => {}
  const arm = (): void => {
    const left = run.budget.timeLeft()
    if (left !== undefined) stop = run.host.clock.timer(left, look)
  }
  const look = (): void => {
    const hit = run.budget.check({ timeMs: 0 })
    if (hit?.unit === 'timeMs')
      takeDown(run, new MandateError('LIMIT_EXCEEDED', describeLimit(hit), { info: hit }), 'clock')
    // Timers may fire a little early, and clocks are put back: then the time is not up yet.
    else arm()
  }
  arm()
  return () => stop()
}

function renewLease(run: ActiveRun): () => void {
  const { clock, journal } = run.host
  let stop: () => void = () => {}
  const renew = (): void => {
    stop = clock.timer(run.limits.leaseMs / 3, () => {
      journal.renew(run.lease, clock.now() + run.limits.leaseMs).then(renew, (error: unknown) => run.writer.fail(error))
    })
  }
  renew()
  return () => stop()
}
