import { systemClock } from '../../core/index.ts'
import type { ActiveRun } from './active-run.ts'

/**
 * A proof of the lease holds no longer than this. An engine frees the leases of a process that it takes for dead, long before they expire, and a process
 * that was frozen in between does not notice. Shorter than the silence after which members of an engine look at each other.
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
 * Asks once more if the answer came late: the process may have been frozen with the answer in its socket, and others may have taken the run since. Not a
 * third time, because a slow store answers late every time.
 */
async function renewed(run: ActiveRun): Promise<void> {
  const isHeld = await renew(run)
  if (isHeld && run.writer.sinceProof() >= PROOF_MS) await renew(run)
}

function isLive({ writer, limits }: ActiveRun): boolean {
  return writer.sinceProof() < PROOF_MS && writer.sinceRenewal() < limits.leaseMs
}

/** Whether this process owns the run, by the word of the store: for what is said to other runs, which no lease of theirs refuses. */
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
