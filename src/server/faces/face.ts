import { conversationLabels, kernelOf, serviceAgent } from '../../agent/index.ts'
import type { AgentCall, AgentService, AgentSpec, AiSdkStreamed, ServiceAgent } from '../../agent/index.ts'
import { MandateError } from '../../core/index.ts'
import type { Label } from '../../core/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import { refuseKey } from '../http/idempotency-key.ts'
import type { Call } from '../http/route.ts'

/** The service that a protocol adapter uses to call agents. */
interface Face {
  readonly service: AgentService
}

/** The request of a client of another protocol to an agent. */
interface Asking {
  readonly agentId: string
  readonly messages: NonNullable<AgentCall['messages']>
  /** The client's id of the conversation. */
  readonly sessionId?: string | undefined
  /** The id of the run, if one begins. */
  readonly runId?: string | undefined
  /** Whether and which tool the agent must call. A resumed run keeps the choice that it was started with. */
  readonly toolChoice?: string | undefined
  /** Aborts the run. Absent when a client may reconnect to the run. */
  readonly abortSignal?: AbortSignal | undefined
}

/** Returns an agent that the caller may run. Any other agent causes the same error as one that does not exist. */
export function agentSpec({ service }: Call, agentId: string): AgentSpec {
  const spec = service.agents().find(({ id }) => id === agentId)
  if (spec !== undefined) return spec
  throw new MandateError('NOT_FOUND', `There is no agent "${agentId}" that you may run.`)
}

export function agentFor({ service }: Face, call: Call, agentId: string): ServiceAgent {
  return serviceAgent(service, agentSpec(call, agentId).id)
}

/** Starts a run in the name of the caller, or resumes the run that waits for what the messages contain. */
export async function openAgent(face: Face, call: Call, asking: Asking): Promise<AiSdkStreamed> {
  const { sessionId, runId, messages, abortSignal, agentId, toolChoice } = asking
  const { identity } = call
  refuseKey(call.request)
  const historyLabels = await labelsOf(face, call, asking)
  const streamed = await agentFor(face, call, agentId).stream({
    messages,
    abortSignal,
    options: {
      identity,
      runId,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(historyLabels.length === 0 ? {} : { historyLabels }),
      ...(toolChoice === undefined ? {} : { toolChoice }),
    },
  })
  return driven(face, call, streamed)
}

/**
 * Registers the run with the server, so that it is suspended when the server closes, and waits until the store has it: clients get its id with the first
 * words, and may ask for it at once.
 */
export async function driven(face: Face, call: Call, streamed: AiSdkStreamed): Promise<AiSdkStreamed> {
  const { runId, result } = streamed
  // A refused run has no id; its error is thrown where its stream is read.
  if (runId === '') return streamed
  call.drives({ id: runId, then: result.then.bind(result) })
  // A start that could not be stored is reported where the stream is read.
  await kernelOf(face.service)
    .stored(runId)
    .catch(() => {})
  return streamed
}

/**
 * Returns the taint labels of the conversation so far. The client sends earlier messages back as its own text, so their provenance is read from the run that
 * produced them; showing a conversation to a user does not remove its taint.
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

/** Returns the newest run of a conversation among those that the caller may read. */
export async function lastRun(
  { service }: Call,
  agentId: string | undefined,
  sessionId: string | undefined,
): Promise<RunSummary | undefined> {
  if (sessionId === undefined) return undefined
  const [last] = await service.runs({ sessionId, name: agentId, parent: null, limit: 1 })
  return last
}

/** Returns the error message for a client. The message of a `MandateError` is meant for callers; other errors may contain anything and get a fixed text. */
export function toldMessage(error: unknown): string {
  return MandateError.isInstance(error) ? error.message : 'The run failed.'
}
