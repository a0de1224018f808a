import { sha256 } from '../../core/index.ts'
import type { MandateError } from '../../core/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { ChildRequest } from './child.ts'
import type { KernelHost } from '../kernel/host.ts'
import { createRun } from '../lifecycle/create-run.ts'
import type { ChildSpec, Opened } from '../lifecycle/create-run.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'

/** Drives a run here, and finds one that is being driven. */
interface Driver {
  drive(open: () => Promise<Opened>): Promise<RunOutcome>
  find(): ActiveRun | undefined
}

/** Creates or resumes a child run, and aborts it together with its parent. */
export async function driveChild(host: KernelHost, request: ChildRequest, driver: Driver): Promise<RunOutcome> {
  const { id, signal } = request
  const outcome = driver.drive(() => createRun(host, id, childSpec(request)))
  const cut = (): void => cutWithParent(driver.find(), signal.reason as MandateError | undefined)
  signal.addEventListener('abort', cut)
  try {
    return await outcome
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

/** The specification of a child run. */
export function childSpec({ parent, key, at, kind, name, input, labels, allot }: ChildRequest): ChildSpec {
  const { sessionId, identity, durability, priority, seed } = parent.start
  return {
    ...{ kind, name, input, labels, sessionId, identity, durability, priority },
    budget: allot,
    allotted: allot !== undefined,
    parent: { run: parent, key, at },
    // A child's seed is derived from its parent's, so that one seed fixes the whole tree, also for a child that is started again after a crash.
    seed: sha256(`${seed}/${key}`).slice(0, 16),
  }
}

/** Aborts a child with its parent. A parent that only lost its journal is not over, and its child must not record a cancellation. */
export function cutWithParent(run: ActiveRun | undefined, reason?: MandateError): void {
  const { parent } = run ?? {}
  if (run === undefined || parent === undefined || run.ended) return
  if (parent.writer.failure === undefined) run.abort(parent.abortReason ?? reason)
  else run.writer.fail(parent.writer.failure)
}
