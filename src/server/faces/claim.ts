import type { AgentService, AiSdkStreamed } from '../../agent/index.ts'
import { MandateError } from '../../core/index.ts'
import type { Call } from '../http/route.ts'
import { lastRun } from './face.ts'

/** Conversations with a run that is about to begin here: of two requests at once, in whichever protocol, one starts a run. */
const startingIn = new WeakMap<AgentService, Set<string>>()

interface Claimed {
  readonly agentId: string
  readonly sessionId: string | undefined
  /** Whether what was sent begins with a new message; answers to what a run waits for let it go on. */
  readonly isMessage: boolean
  /** How a client ends the answer. */
  readonly stopping: string
}

/**
 * Refuses a new message while its conversation is being answered: a page shows what the last run was given, so of two runs side by side one would be lost.
 * Gives what ends the claim.
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
  // Before the store is read: what it says may be older than a run that another request begins meanwhile.
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

/** Ends a claim when the journal knows the run, which is from its first entry on. */
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
