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
    void run.writer.renew(run.limits.leaseMs).then(() => {
      ignoreAbort()
      resolve()
    })
  })
}

/** Renews the lease in the background for as long as the run is driven here. */
export function keepLease(run: ActiveRun): () => void {
  let stop: () => void = () => {}
  const plan = (): void => {
    stop = run.host.clock.timer(run.limits.leaseMs / 3, () => {
      void run.writer.renew(run.limits.leaseMs).then((isHeld) => (isHeld && !run.ended ? plan() : undefined))
    })
  }
  plan()
  return () => stop()
}
