import { hasBegun, kernelOf } from '../agent/index.ts'
import type { AgentService } from '../agent/index.ts'
import { MandateError } from '../core/index.ts'
import type { ListPlace } from '../journal/index.ts'
import { liveTextsOf } from './streams/live-texts.ts'

const PAGE = 200

/** The result of `recoverRuns`. */
interface RecoveredRuns {
  /** Runs that were resumed. */
  readonly resumed: readonly string[]
  /** Runs that could not be resumed, and why. */
  readonly failed: readonly { readonly run: string; readonly problem: string }[]
}

/**
 * Resumes the runs that a process left unfinished because it was killed or its server was closed. Call it when a server starts. Runs that another live
 * process drives are skipped; those that wait for a person or a timer are not changed. Resolves when every run was resumed or failed to resume, not when it
 * has ended.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { recoverRuns } from 'mandate/server'
 * const service = new AgentService()
 * const { resumed } = await recoverRuns(service)
 * console.log(`${resumed.length} runs go on`)
 * await service.stop()
 * ```
 */
export async function recoverRuns(service: AgentService): Promise<RecoveredRuns> {
  kernelOf(service)
  // Starts recording streamed texts now, so that they are complete even if the server is created later.
  liveTextsOf(service.events)
  const resumed: string[] = []
  const failed: RecoveredRuns['failed'][number][] = []
  for (const run of await leftRuns(service)) {
    const problem = await takeUp(service, run)
    if (problem === undefined) resumed.push(run)
    else if (problem.code !== 'LEASE_HELD') failed.push({ run, problem: problem.message })
  }
  return { resumed, failed }
}

async function leftRuns({ journal }: AgentService): Promise<readonly string[]> {
  const left: string[] = []
  let after: ListPlace | undefined
  for (;;) {
    const page = await journal.list({ state: ['running', 'suspended'], parent: null, limit: PAGE, after })
    for (const { run, mind, state, suspendReason } of page)
      if (mind === 'agent' && (state === 'running' || suspendReason === 'interrupt')) left.push(run)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return left
    after = { at: last.createdAt, run: last.run }
  }
}

/** Resolves when the run has resumed, or with the error that prevented it. */
async function takeUp(service: AgentService, run: string): Promise<MandateError | undefined> {
  try {
    await hasBegun(service.resume(run))
    return undefined
  } catch (error) {
    return MandateError.isInstance(error) ? error : new MandateError('INTERNAL', String(error))
  }
}
