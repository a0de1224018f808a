import { sha256 } from '../../core/index.ts'
import type { MandateError } from '../../core/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { ChildRequest } from './child.ts'
import type { KernelHost } from '../kernel/host.ts'
import { createRun } from '../lifecycle/create-run.ts'
import type { ChildSpec, Opened } from '../lifecycle/create-run.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'

/** How a run is driven here, and found while it is. */
interface Driver {
  drive(open: () => Promise<Opened>): Promise<RunOutcome>
  find(): ActiveRun | undefined
}

/** A child run: created or brought back, and cut together with its parent. */
export async function driveChild(host: KernelHost, request: ChildRequest, driver: Driver): Promise<RunOutcome> {
  const { id, parent, key, at, kind, name, input, labels, allot, signal } = request
  const { sessionId, identity, durability, seed } = parent.start
  const spec: ChildSpec = {
    ...{ kind, name, input, labels, sessionId, identity, durability },
    budget: allot,
    allotted: allot !== undefined,
    parent: { run: parent, key, at },
    // A child's chance follows from its parent's, so that one seed fixes the whole tree, also for a child that had to be started anew after a crash.
    seed: sha256(`${seed}/${key}`).slice(0, 16),
  }
  const outcome = driver.drive(() => createRun(host, id, spec))
  const cut = (): void => cutWithParent(driver.find(), signal.reason as MandateError | undefined)
  signal.addEventListener('abort', cut)
  try {
    return await outcome
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

/** A child is taken down with its parent; but one whose parent has merely lost its journal is not over, and must not say so in its own. */
export function cutWithParent(run: ActiveRun | undefined, reason?: MandateError): void {
  const { parent } = run ?? {}
  if (run === undefined || parent === undefined || run.ended) return
  if (parent.writer.failure === undefined) run.abort(parent.abortReason ?? reason)
  else run.writer.fail(parent.writer.failure)
}
