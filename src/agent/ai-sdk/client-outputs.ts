import { MandateError, checkId } from '../../core/index.ts'
import { answerProblem } from '../../gate/index.ts'
import { isErased, readAll } from '../../journal/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import type { ApprovalRequest } from '../../run/index.ts'
import type { ServiceAs } from '../service/service-as.ts'
import type { AgentService } from '../service/service.ts'
import type { AgentCallOptions } from './agent-shapes.ts'
import type { ClientOutput } from './question.ts'

/** The results that a client sends for the calls of one run, split into those the run waits for and those that do not match. */
export interface Brought {
  readonly fitting: readonly { readonly approvalId: string; readonly output: ClientOutput }[]
  readonly misfits: readonly { readonly request: ApprovalRequest; readonly problem: string }[]
}

/** A result, and the root run that it is for. */
export interface OwnOutput extends ClientOutput {
  readonly root: string
}

/** Selects runs: those of one agent and, if a session is given, of that session, which the identity may read. */
export interface Owner {
  readonly agent: string
  readonly sessionId: AgentCallOptions['sessionId']
  readonly identity: AgentCallOptions['identity']
}

/** The results for runs of this owner. Results with other marks belong to the conversation. */
export async function ownOutputs(
  service: AgentService,
  outputs: readonly ClientOutput[],
  owner: Owner,
): Promise<readonly OwnOutput[]> {
  const own: OwnOutput[] = []
  for (const output of outputs) {
    const top = await ownTop(service, checkId(output.run, 'The run id'), owner)
    if (top !== undefined) own.push({ ...output, root: top.run })
  }
  return own
}

/** Returns the root of a run's tree if the run belongs to this owner. Run ids are not secret, so nothing about the runs of other owners is disclosed. */
export async function ownTop(
  service: AgentService,
  run: string | undefined,
  { agent, sessionId, identity }: Owner,
): Promise<RunSummary | undefined> {
  let top = run === undefined ? undefined : await service.journal.summary(run)
  while (top?.parent !== undefined) top = await service.journal.summary(top.parent)
  if (top?.name !== agent || (sessionId !== undefined && top.sessionId !== sessionId)) return undefined
  if (identity === undefined) return top
  try {
    return await service.as(identity).summary(top.run)
  } catch (error) {
    if (MandateError.isInstance(error) && error.code === 'DENIED') return undefined
    throw error
  }
}

/** Matches the results with the open questions of their run. Results of questions that were already answered are ignored. */
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

/** Throws for results of questions that are no longer open: starting a new run could repeat what their run has done. */
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

/** Answers the questions of a run with the client's results. The error of a failed client tool rejects the question, and the model gets the reason. */
export async function giveOutputs(service: ServiceAs, { fitting }: Brought): Promise<void> {
  for (const { approvalId, output } of fitting) {
    const { status, value } = output
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    await (status === 'ok' ? service.answer(approvalId, value) : service.reject(approvalId, text))
  }
}
