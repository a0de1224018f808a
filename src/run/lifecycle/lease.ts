import { systemClock } from '../../core/index.ts'
import type { ActiveRun } from './active-run.ts'

/**
 * Asks the store whether this process still owns the run, unless that was shown just now and the lease cannot have expired since.
 * Nothing to wait for when the lease is known to be live. A run that was lost is `ended` afterwards: its caller stops and says nothing.
 */
export function proveLease(run: ActiveRun, isProven: boolean): Promise<void> | undefined {
  if (run.ended || run.signal.aborted || (isProven && run.writer.sinceRenewal() < run.limits.leaseMs)) return undefined
  return new Promise((resolve) => {
    // A store that does not answer must not keep a cancelled run waiting.
    const ignoreAbort = run.onAbort(resolve)
    void renew(run).then(() => {
      ignoreAbort()
      resolve()
    })
  })
}

/** Renews the lease in the background for as long as the run is driven here. */
export function keepLease(run: ActiveRun): () => void {
  // Renewing leaves no trace in the time of a run whose journal follows from its seed.
  const clock = run.order === undefined ? run.host.clock : systemClock
  let stop: () => void = () => {}
  const plan = (): void => {
    stop = clock.timer(run.limits.leaseMs / 3, () => {
      void renew(run).then((isHeld) => (isHeld && !run.ended ? plan() : undefined))
    })
  }
  plan()
  return () => stop()
}

function renew(run: ActiveRun): Promise<boolean> {
  return run.writer.renew(run.limits.leaseMs, run.order === undefined ? undefined : run.fold.lastAt)
}
