import { MandateError, checkFields, checkNumbers, toPlain } from '../../core/index.ts'
import type { FieldNames, JsonObject } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import { identityOf, kernelOf } from '../../run/index.ts'
import { readHistory } from './state-history.ts'
import { checkStateUpdate, updateMessage } from './state-update.ts'

interface UpdateStateOptions {
  /** As if this node had written the update: its successors run next. By default the planned nodes still do. */
  readonly asNode?: string | undefined
  /** Goes back to the state after this step first, by its number in the history; the newest state by default. */
  readonly step?: number | undefined
  /** Changes the run itself at the beginning of its next step, instead of forking. It must not be over. */
  readonly live?: boolean | undefined
  /** The id of the fork. */
  readonly runId?: string | undefined
  /** The acting identity. A fork requires the permissions to read the run and to run agents. */
  readonly identity?: Identity | undefined
}

const OPTIONS: FieldNames<UpdateStateOptions> = {
  asNode: 'text',
  step: true,
  live: 'flag',
  runId: 'text',
  identity: 'object',
}

/**
 * Changes the state of a run, or goes back in it. The original run is not changed: the update starts a fork that shares everything up to that state
 * and is continued with `resumeGraph`. Shared work is not repeated. With `{}` as the update it only goes back; for a failed run that retries what
 * failed, and nothing else.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { resumeGraph, updateState } from 'mandate/graph'
 * async function retell(service: AgentService, runId: string) {
 *   const { run } = await updateState(service, runId, { topic: 'bees' }, { step: 1 })
 *   return resumeGraph(service, run).outcome
 * }
 * ```
 */
export async function updateState(
  host: object,
  runId: string,
  update: object,
  options: UpdateStateOptions = {},
): Promise<{ readonly run: string; readonly step: number }> {
  checkFields(options, 'an option of `updateState`', OPTIONS)
  checkNumbers(options, 'an option of `updateState`', { step: 'count' }, 'INPUT_INVALID')
  const { asNode, step, live = false, runId: forkId, identity } = options
  const kernel = kernelOf(host)
  if (!live) {
    const by = identity ?? identityOf(kernel)
    await kernel.authorize(by, 'read-journal', runId)
    await kernel.authorize(by, 'run-agent', runId)
  }
  const { graph, states, failed } = await readHistory(kernel, runId)
  const { value, issues } = toPlain(update)
  if (issues.length > 0) throw new MandateError('INPUT_INVALID', `The update is not plain data: ${issues.join('; ')}.`)
  const change = checkStateUpdate(graph, { update: value as JsonObject, asNode })
  const message = updateMessage(change)
  if (live) {
    const { state } = states.at(-1)!
    if (state.state !== 'running' && state.state !== 'suspended')
      throw new MandateError(
        'RUN_STATE',
        `Run "${runId}" is over. Leave \`live\` out: the change is then the beginning of a fork.`,
      )
    await kernel.steer(runId, message, identity)
    return { run: runId, step: state.step }
  }
  const moment = step === undefined ? states.at(-1) : states.findLast(({ state }) => state.step === step)
  if (moment === undefined)
    throw new MandateError(
      'INPUT_INVALID',
      `Run "${runId}" has no state after step ${step}. Its history has 0 to ${states.at(-1)!.state.step}.`,
    )
  const isChange = asNode !== undefined || Object.keys(change.update).length > 0
  const retried = isChange || step !== undefined ? undefined : failed
  const run = await kernel.fork(runId, {
    at: retried?.seq ?? moment.state.seq,
    ...(retried === undefined ? {} : { without: retried.keys }),
    ...(isChange ? { message } : {}),
    runId: forkId,
    identity,
  })
  return { run, step: moment.state.step }
}
