import { MandateError } from '../../core/index.ts'
import type { RunControl } from '../inbox/run-control.ts'
import { createRun } from '../lifecycle/create-run.ts'
import type { RunSpec } from '../lifecycle/create-run.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'

/** A run that has been started here. */
export interface RunHandle {
  readonly runId: string
  readonly outcome: Promise<RunOutcome>
  /** Aborts the run. Calls in flight get a short grace period; the outcome is `cancelled`. */
  abort(reason?: string): void
}

/** Starts a run and waits until it is stored. Its outcome is in its journal and its events. */
export async function planRun(control: RunControl, spec: RunSpec & { readonly runId: string }): Promise<string> {
  const { host, live } = control
  await control.attach()
  const placed = control.placedFor(spec)
  if (placed !== undefined) {
    await placed.store(spec.runId, spec)
    return spec.runId
  }
  await new Promise<void>((stored, reject) => {
    const open = async (): ReturnType<typeof createRun> => {
      const opened = await createRun(host, spec.runId, spec)
      if ('run' in opened) await opened.run.writer.flush()
      stored()
      return opened
    }
    const refused = (error: unknown): void =>
      // Another process has its lease, so it is stored.
      MandateError.isInstance(error) && error.code === 'LEASE_HELD' ? stored() : reject(error)
    live.drive(spec.runId, open).then(() => stored(), refused)
  })
  return spec.runId
}
