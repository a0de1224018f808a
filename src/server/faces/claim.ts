import type { AgentService, AiSdkStreamed } from '../../agent/index.ts'
import { MandateError, canonical, errorInfo, sha256 } from '../../core/index.ts'
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

interface Claim {
  /** The id of the run that answers. Concurrent requests to several processes compute the same id, and the store lets only one of them create the run. */
  readonly runId: string | undefined
  /** Waits until the journal contains the run, which releases the claim. Throws if another request has started it. */
  begun(streamed: AiSdkStreamed): Promise<void>
  release(): void
}

const NO_CLAIM: Claim = { runId: undefined, begun: async () => {}, release: () => {} }

/**
 * Refuses a new message while its conversation is being answered. A page shows the input of the last run, so one of two concurrent runs would be lost.
 */
export async function claimConversation(
  { service }: { readonly service: AgentService },
  call: Call,
  { agentId, sessionId, isMessage, stopping }: Claimed,
): Promise<Claim> {
  if (sessionId === undefined || !isMessage) return NO_CLAIM
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
    const runId = await nextRun(service, { chat, last: run?.run, stopping })
    return claimOf(service, runId, { stopping, release })
  } catch (error) {
    release()
    throw error
  }
}

/**
 * The id of the run after the last one. Clock skew between processes can make the last run look older than it is; its successor's id is then taken, and
 * the search continues from there.
 */
async function nextRun(
  { journal }: AgentService,
  { chat, last, stopping }: { readonly chat: string; readonly last: string | undefined; readonly stopping: string },
): Promise<string> {
  for (let before = last ?? null; ;) {
    const next = `run_${sha256(canonical([chat, before])).slice(0, 32)}`
    const known = await journal.summary(next)
    if (known === undefined) return next
    if (known.state === 'running') throw answeringNow(stopping)
    before = next
  }
}

/** The error codes of a start whose run id another process has taken. */
const TAKEN: ReadonlySet<string> = new Set(['LEASE_HELD', 'DUPLICATE'])

function claimOf(
  { events }: AgentService,
  runId: string,
  { stopping, release }: { readonly stopping: string; readonly release: () => void },
): Claim {
  const news = Promise.withResolvers<boolean>()
  const stop = events.onRun(runId, () => news.resolve(true))
  const end = (): void => {
    stop()
    release()
  }
  const begun = async ({ runId: started, result }: AiSdkStreamed): Promise<void> => {
    // The message also answered a suspended run, which continues instead.
    if (started !== runId) return followed(events, { started, result, end })
    // Settled without an event: the start was refused, or the run belongs to another process.
    result.then(
      () => news.resolve(false),
      (error: unknown) => news.resolve(!TAKEN.has(errorInfo(error).code)),
    )
    const isOurs = await news.promise
    end()
    if (!isOurs) throw answeringNow(stopping)
  }
  return { runId, begun, release: end }
}

function followed(
  events: AgentService['events'],
  { started, result, end }: Pick<AiSdkStreamed, 'result'> & { readonly started: string; readonly end: () => void },
): void {
  const stop = events.onRun(started, end)
  result.then(end, end).finally(stop)
}

function answeringNow(stopping: string): MandateError {
  return new MandateError(
    'RUN_STATE',
    `This chat is being answered, perhaps in another tab. Send the message when the answer is over, or stop it with ${stopping}.`,
  )
}
