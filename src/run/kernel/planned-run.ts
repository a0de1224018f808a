import { MandateError, checkFields } from '../../core/index.ts'
import { RESUME_OPTIONS } from '../inbox/budget-change.ts'
import type { KernelResumeOptions } from '../inbox/budget-change.ts'
import { putBudget, rootOf } from '../inbox/run-control.ts'
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

/** Continues a run, and resolves as soon as it is driven here, or its wake-up is stored. */
export async function resuming(
  control: RunControl,
  runId: string,
  options: KernelResumeOptions,
): Promise<Pick<RunHandle, 'outcome'>> {
  checkFields(options, 'an option of `resume`', RESUME_OPTIONS)
  await control.attach()
  const { budget, identity = control.host.identity } = options
  if (budget !== undefined) await putBudget(control, runId, budget, identity)
  const root = await rootOf(control, runId)
  const placed = control.placedFor({ kind: root.mind })
  if (placed !== undefined) return placed.resume(root.run)
  const outcome = control.live.drive(root.run)
  await Promise.race([control.live.stored(root.run), outcome])
  return { outcome }
}
