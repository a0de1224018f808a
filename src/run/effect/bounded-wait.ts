import { MandateError } from '../../core/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'

/** A wait for code outside the kernel: a filter, a schema, a lookup, a provider's timer. */
export interface BoundedWait {
  readonly run: ActiveRun
  /** The wait is inside a call that is under way: on an interruption the call is parked, not its parts. */
  readonly isWithin?: boolean | undefined
  /** The waiting effect; it counts as active. */
  readonly key: string
  /** The subject of the error: "The checks of tool \"pay\"". */
  readonly what: string
  /** Absent where the work always ends by itself. */
  readonly limitMs?: number | undefined
  /** The name of the limit as users set it. */
  readonly limit?: string | undefined
  /** How long an interrupted run still waits. Useful only where something has already happened whose result would be lost. */
  readonly graceMs?: number | undefined
}

/**
 * Waits for `work`, bounded by its limit (`TIMEOUT`) and by the run: if the run is aborted it rejects with the reason, and if the run is interrupted
 * it counts as parked, so that the run can suspend. A later result of `work` is ignored.
 */
export function bounded<T>(wait: BoundedWait, work: Promise<T>): Promise<T> {
  const { run, key, limitMs, graceMs = 0 } = wait
  const { clock } = run.host
  return new Promise<T>((resolve, reject) => {
    let isOver = false
    let isParked = false
    const stops: (() => void)[] = []
    const end = (then: () => void): void => {
      // The run has left this process: nothing may be started or written for it any more.
      if (isOver || run.ended) return
      isOver = true
      for (const stop of stops) stop()
      if (isParked) run.unpark(key)
      then()
    }
    const cut = (): void => end(() => reject(run.abortReason!))
    const park = (): void => {
      if (isOver || run.ended) return
      isParked = true
      parkInterrupted(run, key, cut)
    }
    const onInterrupt = (): void => {
      if (wait.isWithin === true) return
      if (graceMs === 0) park()
      else stops.push(run.onClose(clock.timer(graceMs, park)))
    }
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    )
    if (run.signal.aborted) return cut()
    stops.push(run.onAbort(cut))
    if (limitMs !== undefined)
      stops.push(run.onClose(clock.timer(limitMs, () => end(() => reject(tooLong(wait, limitMs))))))
    if (run.interruption.hasFired) onInterrupt()
    else stops.push(run.interruption.on(onInterrupt))
  })
}

function tooLong({ what, limit = 'its timeout' }: BoundedWait, limitMs: number): MandateError {
  return new MandateError(
    'TIMEOUT',
    `${what} did not answer within ${limitMs} ms. Look at why it hangs, or raise \`${limit}\`.`,
  )
}

/** Parks an effect of an interrupted run, so that the run can suspend. `release` is called if the run is aborted instead. */
function parkInterrupted(run: ActiveRun, key: string, release: () => void): void {
  run.park({ key, reason: 'interrupt', pending: [{ key, reason: 'interrupt' }], live: false, release })
}

/** The same as a promise: resolves only if the run is aborted before it could suspend. */
export async function untilReleased(run: ActiveRun, key: string): Promise<void> {
  await new Promise<void>((resolve) => parkInterrupted(run, key, resolve))
  run.unpark(key)
}
