import { conversationLabels, serviceAgent } from '../../agent/index.ts'
import type { AgentCall, AgentService, AgentSpec, AiSdkStreamed, ServiceAgent } from '../../agent/index.ts'
import { MandateError } from '../../core/index.ts'
import type { Label } from '../../core/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import { refuseKey } from '../http/idempotency-key.ts'
import type { Call } from '../http/route.ts'

/** What every protocol needs to call agents: the service, and who asks. */
interface Face {
  readonly service: AgentService
}

/** What a caller of another protocol wants from an agent. */
interface Asking {
  readonly agentId: string
  readonly messages: NonNullable<AgentCall['messages']>
  /** The conversation, by the client's own name for it. */
  readonly sessionId?: string | undefined
  /** Whether and which tool the agent is to call. A run that goes on keeps the choice that it began with. */
  readonly toolChoice?: string | undefined
  /** Aborts the run. Absent where a client may come back for it. */
  readonly abortSignal?: AbortSignal | undefined
}

/** An agent that the caller may run; the others are as unknown to it as those that do not exist. */
export function agentSpec({ service }: Call, agentId: string): AgentSpec {
  const spec = service.agents().find(({ id }) => id === agentId)
  if (spec !== undefined) return spec
  throw new MandateError('NOT_FOUND', `There is no agent "${agentId}" that you may run.`)
}

export function agentFor({ service }: Face, call: Call, agentId: string): ServiceAgent {
  return serviceAgent(service, agentSpec(call, agentId).id)
}

/** Starts a run in the name of the caller, or lets the one go on that waits for what the messages bring. */
export async function openAgent(face: Face, call: Call, asking: Asking): Promise<AiSdkStreamed> {
  const { sessionId, messages, abortSignal, agentId, toolChoice } = asking
  const { identity } = call
  refuseKey(call.request)
  const historyLabels = await labelsOf(face, call, asking)
  const streamed = await agentFor(face, call, agentId).stream({
    messages,
    abortSignal,
    options: {
      identity,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(historyLabels.length === 0 ? {} : { historyLabels }),
      ...(toolChoice === undefined ? {} : { toolChoice }),
    },
  })
  return driven(call, streamed)
}

/** Tells the server of the run, so that it is suspended when the server closes. */
export function driven(call: Call, streamed: AiSdkStreamed): AiSdkStreamed {
  const { runId, result } = streamed
  // A run that was refused fails where its stream is read.
  if (runId !== '') call.drives({ id: runId, then: result.then.bind(result) })
  return streamed
}

/**
 * What the conversation so far was made from. The client sends its messages back as its own words; where they came from is known by the run that said them,
 * and a conversation does not become clean by having been shown to someone.
 */
export async function labelsOf(
  { service }: Face,
  call: Call,
  { agentId, sessionId }: Pick<Asking, 'agentId' | 'sessionId'>,
): Promise<readonly Label[]> {
  if (sessionId !== undefined) await call.service.checkSession(sessionId)
  const last = await lastRun(call, agentId, sessionId)
  if (last === undefined) return []
  const entries = []
  for await (const entry of service.journal.read(last.run)) entries.push(entry)
  return conversationLabels(entries)
}

/** The newest run of a conversation, of those that the caller may read. */
export async function lastRun(
  { service }: Call,
  agentId: string | undefined,
  sessionId: string | undefined,
): Promise<RunSummary | undefined> {
  if (sessionId === undefined) return undefined
  const [last] = await service.runs({ sessionId, name: agentId, parent: null, limit: 1 })
  return last
}

/** What a client is told of an error: ours say what to do; those of others may hold anything. */
export function toldMessage(error: unknown): string {
  return MandateError.isInstance(error) ? error.message : 'The run failed.'
}
