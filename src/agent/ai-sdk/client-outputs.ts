import { MandateError, checkId } from '../../core/index.ts'
import { answerProblem } from '../../gate/index.ts'
import { isErased, readAll } from '../../journal/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import type { ApprovalRequest } from '../../run/index.ts'
import type { ServiceAs } from '../service/service-as.ts'
import type { AgentService } from '../service/service.ts'
import type { AgentCallOptions } from './agent-shapes.ts'
import type { ClientOutput } from './question.ts'

/** What a client brings for the calls of one run: results that the run waits for, and those that do not fit. */
export interface Brought {
  readonly fitting: readonly { readonly approvalId: string; readonly output: ClientOutput }[]
  readonly misfits: readonly { readonly request: ApprovalRequest; readonly problem: string }[]
}

/** A result, and the run at the top of the tree that it is for. */
export interface OwnOutput extends ClientOutput {
  readonly root: string
}

/** Whose runs are meant: those of one agent and, where one is named, of one session. */
interface Owner {
  readonly agent: string
  readonly sessionId: AgentCallOptions['sessionId']
}

/** Those results that are for runs of this owner. What bears the mark of anything else is a conversation, no answer. */
export async function ownOutputs(
  service: AgentService,
  outputs: readonly ClientOutput[],
  { agent, sessionId }: Owner,
): Promise<readonly OwnOutput[]> {
  const own: OwnOutput[] = []
  for (const output of outputs) {
    const top = await topOf(service, checkId(output.run, 'The run id'))
    const isOwn = top?.name === agent && (sessionId === undefined || top.sessionId === sessionId)
    if (isOwn) own.push({ ...output, root: top.run })
  }
  return own
}

/** The run at the top of a run's tree. */
export async function topOf(service: AgentService, run: string | undefined): Promise<RunSummary | undefined> {
  let summary = run === undefined ? undefined : await service.journal.summary(run)
  while (summary?.parent !== undefined) summary = await service.journal.summary(summary.parent)
  return summary
}

/** Holds the results against the open questions of their run. Those of questions that were answered before are no news. */
export async function sortOutputs(
  service: AgentService,
  runId: string,
  outputs: readonly ClientOutput[],
): Promise<Brought> {
  const open = (await service.approvals(runId)).filter(({ reason }) => reason === 'question')
  const fitting: Brought['fitting'][number][] = []
  const misfits: Brought['misfits'][number][] = []
  for (const output of outputs) {
    const request = open.find(({ run, key }) => run === output.run && key === output.key)
    if (request === undefined) continue
    const problem = output.status === 'ok' ? answerProblem(request.input, output.value) : undefined
    if (problem === undefined) fitting.push({ approvalId: request.id, output })
    else misfits.push({ request, problem })
  }
  return { fitting, misfits }
}

/** Refuses results of questions that are no longer open: starting over could do again what their run has done. */
export async function refuseStale(service: AgentService, outputs: readonly OwnOutput[]): Promise<void> {
  for (const { run, key, root } of outputs)
    for (const entry of await readAll(service.journal, run)) {
      if (isErased(entry) || entry.type !== 'approval-request' || entry.key !== key) continue
      if (entry.data.reason === 'question')
        throw new MandateError(
          'APPROVAL_STALE',
          `The run "${root}" no longer waits for this result: it has one, or is over. Send a message to go on.`,
        )
    }
}

/** Gives a run the results that it waits for. A client whose tool failed refuses to answer; the model is told why. */
export async function giveOutputs(service: ServiceAs, { fitting }: Brought): Promise<void> {
  for (const { approvalId, output } of fitting) {
    const { status, value } = output
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    await (status === 'ok' ? service.answer(approvalId, value) : service.reject(approvalId, text))
  }
}
