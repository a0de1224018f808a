import type { AgentService, AiSdkStreamed } from '../../agent/index.ts'
import { MandateError } from '../../core/index.ts'
import type { Call } from '../http/route.ts'
import { lastRun } from './face.ts'

/**
 * Conversations with a run that is about to start in this process, per service. Of two concurrent requests, in any of the protocols, only one starts a run.
 */
const startingIn = new WeakMap<AgentService, Set<string>>()

interface Claimed {
  readonly agentId: string
  readonly sessionId: string | undefined
  /** Whether the request carries a new user message. Answers to what a run waits for resume that run instead. */
  readonly isMessage: boolean
  /** How a client stops the answer, for the error message. */
  readonly stopping: string
}

/**
 * Refuses a new message while its conversation is being answered. A page shows the input of the last run, so one of two concurrent runs would be lost.
 * Returns the function that releases the claim.
 */
export async function claimConversation(
  { service }: { readonly service: AgentService },
  call: Call,
  { agentId, sessionId, isMessage, stopping }: Claimed,
): Promise<() => void> {
  if (sessionId === undefined || !isMessage) return () => {}
  const starting = startingIn.get(service) ?? new Set<string>()
  startingIn.set(service, starting)
  const chat = JSON.stringify([agentId, sessionId])
  if (starting.has(chat)) throw answeringNow(stopping)
  // Claimed before the store is read: the result may be stale if another request starts a run in the meantime.
  starting.add(chat)
  const release = (): void => void starting.delete(chat)
  try {
    const run = await lastRun(call, agentId, sessionId)
    if (run?.state === 'running') throw answeringNow(stopping)
    return release
  } catch (error) {
    release()
    throw error
  }
}

/** Releases a claim at the first event of the run, from which on the journal contains the run, or when the run has ended. */
export function releaseWith(service: AgentService, { runId, result }: AiSdkStreamed, release: () => void): void {
  const stop = service.events.onRun(runId, release)
  result.then(release, release).finally(stop)
}

function answeringNow(stopping: string): MandateError {
  return new MandateError(
    'RUN_STATE',
    `This chat is being answered, perhaps in another tab. Send the message when the answer is over, or stop it with ${stopping}.`,
  )
}
