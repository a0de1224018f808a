import { MandateError, errorInfo } from '../core/index.ts'
import type { ErrorInfo, Json } from '../core/index.ts'
import { describeLimit } from '../gate/index.ts'
import type { ActiveRun, RunOutcome } from './active-run.ts'
import { createContext } from './context.ts'
import { DivergedError } from './diverged.ts'
import { endRun, suspendRun } from './ending.ts'
import { Inbox } from './inbox.ts'
import { MindStop } from './mind.ts'
import { Task } from './task.ts'

/** Drives one run until its mind ends, suspends or meets a limit. This file only sequences; deciding is in `gate`, remembering in `journal`. */
export async function drive(run: ActiveRun): Promise<RunOutcome> {
  const inbox = new Inbox(run)
  const stops = [watchTime(run), renewLease(run), () => inbox.close()]
  run.onStall = (key) => run.fail(new DivergedError(run.id, key, 'an effect with this key', 'the mind never asked for it'))
  try {
    await inbox.open()
    run.onIdle = () => settle(run)
    void think(run).catch((error: unknown) => run.fail(error))
    return await run.done
  } finally {
    for (const stop of stops) stop()
  }
}

type Thought = { readonly output: Json } | { readonly error: unknown }

/** Lets the mind think, and ends the run with what it came to. */
async function think(run: ActiveRun): Promise<void> {
  const thought = await Promise.race([startMind(run), takenDown(run)])
  if (run.ended) return
  const takenDownBy = run.abortReason
  // What the mind started and did not wait for is cut, and its ends are written, before the run's own.
  run.abort(new MandateError('CANCELLED', 'The mind ended without waiting for this.'))
  run.dropMind()
  await run.whenQuiet()
  if (run.ended) return
  await conclude(run, thought, takenDownBy)
}

async function startMind(run: ActiveRun): Promise<Thought> {
  try {
    const output = await run.mind.start(run.start.input, createContext(run, new Task('', run.start.seed)))
    return { output: output ?? null }
  } catch (error) {
    return { error }
  }
}

/** A mind that is told to stop gets a moment to do so; one the gate has killed gets none. */
function takenDown(run: ActiveRun): Promise<Thought> {
  return new Promise((resolve) => {
    const onAbort = (): void => {
      const error = run.abortReason
      if (error?.code === 'KILLED') resolve({ error })
      else run.onClose(run.host.clock.timer(run.limits.cancelGraceMs * 3, () => resolve({ error })))
    }
    if (run.signal.aborted) onAbort()
    else run.signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** Whoever took the run down is why it ended, whatever the mind made of it. */
async function conclude(run: ActiveRun, thought: Thought, takenDownBy: MandateError | undefined): Promise<void> {
  const cause: unknown = takenDownBy ?? ('error' in thought ? thought.error : undefined)
  const output = 'output' in thought ? thought.output : thought.error instanceof MindStop ? thought.error.output : null
  if (cause === undefined) return endRun(run, 'completed', output)
  const info: ErrorInfo = errorInfo(cause, 'MIND_FAILED')
  return endRun(run, info.code === 'CANCELLED' && takenDownBy !== undefined ? 'cancelled' : 'failed', output, info)
}

/** Called whenever the mind has nothing more to do by itself: suspends the run if all that is left waits for the outside. */
function settle(run: ActiveRun): void {
  run.checkQuiet()
  if (run.ended || run.active > 0 || run.parked.size === 0 || run.signal.aborted) return
  const now = run.host.clock.now()
  for (const parked of run.parked.values()) {
    if (parked.live) return
    if (parked.reason === 'timer' && !run.interrupted && (parked.wakeAt ?? 0) - now <= run.limits.liveSleepMs) return
  }
  run.close()
  suspendRun(run).catch(() => {})
}

/** Wall time is the one limit that is passed by doing nothing, so someone has to watch it. */
function watchTime(run: ActiveRun): () => void {
  const left = run.budget.timeLeft()
  if (left === undefined) return () => {}
  return run.host.clock.timer(left, () => {
    const hit = run.budget.check({ timeMs: 0 })
    if (hit?.unit === 'timeMs') run.abort(new MandateError('LIMIT_EXCEEDED', describeLimit(hit), { info: hit }))
  })
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
