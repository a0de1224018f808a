import { systemClock } from '../../core/index.ts'
import type { ActiveRun } from './active-run.ts'

/**
 * How long a proof of the lease is valid. An engine frees the leases of a process that it considers dead long before they expire, and a process that was
 * paused meanwhile does not notice. Shorter than the heartbeat timeout between members of an engine.
 */
const PROOF_MS = 200

/**
 * Asks the store whether this process still owns the run, unless `isProven` just now and the lease cannot have expired since. Returns `undefined` if the
 * lease is known to be live. If the run was lost, it is `ended` afterwards, and the caller must stop without writing.
 */
export function proveLease(run: ActiveRun, isProven: boolean): Promise<void> | undefined {
  if (run.ended || run.signal.aborted || (isProven && isLive(run))) return undefined
  return new Promise((resolve) => {
    // A store that does not answer must not block a cancelled run.
    const ignoreAbort = run.onAbort(resolve)
    void renewed(run).then(() => {
      ignoreAbort()
      resolve()
    })
  })
}

/**
 * Renews the lease, and repeats that once if the response took longer than a proof is valid: the process may have been paused with the response in its
 * socket, and another process may have taken the run since. Not repeated a second time, because a slow store always responds late.
 */
async function renewed(run: ActiveRun): Promise<void> {
  const isHeld = await renew(run)
  if (isHeld && run.writer.sinceProof() >= PROOF_MS) await renew(run)
}

function isLive({ writer, limits }: ActiveRun): boolean {
  return writer.sinceProof() < PROOF_MS && writer.sinceRenewal() < limits.leaseMs
}

/** Whether this process owns the run according to the store. For signals to other runs, whose leases do not fence this process. */
export async function isOwner(run: ActiveRun): Promise<boolean> {
  await renewed(run)
  return run.writer.failure === undefined
}

/** Renews the lease in the background while the run is driven here. */
export function keepLease(run: ActiveRun): () => void {
  // On the system clock: a run with deterministic time must not depend on renewals.
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
