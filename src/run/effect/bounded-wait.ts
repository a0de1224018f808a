import { MandateError } from '../../core/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'

/** A wait for code that is not the kernel's: a filter, a schema, a lookup, a timer of a provider. */
export interface BoundedWait {
  readonly run: ActiveRun
  /** Part of a call that is under way: the call is parked when the run is interrupted, not its parts. */
  readonly isWithin?: boolean | undefined
  /** The effect that waits; it counts as active. */
  readonly key: string
  /** The subject of the error: "The checks of tool \"pay\"". */
  readonly what: string
  /** Absent where the work ends by itself. */
  readonly limitMs?: number | undefined
  /** The name of the limit, as users set it. */
  readonly limit?: string | undefined
  /** How long an interrupted run still waits for it. Only worth something where something has happened whose result would be lost. */
  readonly graceMs?: number | undefined
}

/**
 * Waits for `work`, but not longer than its limit (`TIMEOUT`) and not longer than the run: when the run is cut it rejects with the reason of the cut,
 * and when the run is interrupted it counts as parked, so that the run can suspend. What `work` gives after that is ignored.
 */
export function bounded<T>(wait: BoundedWait, work: Promise<T>): Promise<T> {
  const { run, key, limitMs, graceMs = 0 } = wait
  const { clock } = run.host
  return new Promise<T>((resolve, reject) => {
    let isOver = false
    let isParked = false
    const stops: (() => void)[] = []
    const end = (then: () => void): void => {
      // The run has left this process: nothing may be begun or written for it any more.
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
    if (run.interruption.isRung) onInterrupt()
    else stops.push(run.interruption.on(onInterrupt))
  })
}

function tooLong({ what, limit = 'its timeout' }: BoundedWait, limitMs: number): MandateError {
  return new MandateError(
    'TIMEOUT',
    `${what} did not answer within ${limitMs} ms. Look at why it hangs, or raise \`${limit}\`.`,
  )
}

/** Parks an effect of a run that is being interrupted: the run can suspend with it. `release` is called when the run is cut instead. */
function parkInterrupted(run: ActiveRun, key: string, release: () => void): void {
  run.park({ key, reason: 'interrupt', pending: [{ key, reason: 'interrupt' }], live: false, release })
}

/** The same, waited for: resolves only when the run is cut before it could suspend. */
export async function untilReleased(run: ActiveRun, key: string): Promise<void> {
  await new Promise<void>((resolve) => parkInterrupted(run, key, resolve))
  run.unpark(key)
}
