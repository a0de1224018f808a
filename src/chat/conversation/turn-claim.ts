import { MandateError, delay } from '../../core/index.ts'
import type { PendingCall } from '../../agent/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { isLost } from '../message/stored-message.ts'
import type { LiveStream } from '../turn/atlas-stream.ts'
import type { ConversationHead, OpenTurn } from './conversation-record.ts'
import { checkMessageId, isRepeated } from './message-ids.ts'
import { isEnded, viewTurn } from './open-turn.ts'
import { abandonTurn, isSettledSoon, park, settle } from './turn-end.ts'
import { contextOf, followedIn, requestOf, runOf, withTurn } from './turn-scene.ts'
import type { TurnScene } from './turn-scene.ts'

/** Duration of the lease on a turn. The process that runs the turn extends it while it is alive. */
const CLAIM_MS = 30_000
const LOOK_EVERY_MS = 50

/** A message to begin a turn with. */
interface Claim {
  readonly message: ChatMessage
  readonly options: {
    readonly agentId?: string | undefined
    readonly instructions?: string | undefined
    readonly toolChoice?: string | undefined
    readonly queue?: boolean | undefined
  }
  readonly stream: LiveStream
}

/** The result of an attempt to begin a turn: `repeated` if it was begun before, `withdrawn` if its message was taken back. */
type Begun = { readonly head: ConversationHead } | 'repeated' | 'withdrawn'

/** Stores a message and claims the conversation for its turn, once no other turn is open; then has the agent chosen. */
export async function beginTurn(scene: TurnScene, claim: Claim): Promise<Begun> {
  const { keeper, hooks, id } = scene
  const { message, options, stream } = claim
  const { streamId } = stream
  const { choose } = hooks
  const claimed = await claimConversation(scene, claim)
  if (typeof claimed === 'string' || choose === undefined) return claimed
  try {
    const chosen = await stream.unlessCancelled(choose(message, contextOf(scene, streamId, options.agentId)))
    if (chosen === undefined) {
      await abandonTurn(scene, streamId)
      return 'withdrawn'
    }
    const chosenHead = await keeper.change(id, (head) =>
      withTurn(head, streamId, { agentId: chosen, status: 'running' }),
    )
    return { head: chosenHead }
  } catch (error) {
    await abandonTurn(scene, streamId)
    throw error
  }
}

function newTurn({ keeper, hooks }: TurnScene, { message, options, stream }: Claim, head: ConversationHead): OpenTurn {
  const { agentId, instructions, toolChoice } = options
  return {
    runId: stream.streamId,
    agentId: agentId ?? head.agentId,
    prompt: message,
    before: [],
    after: [],
    status: hooks.choose === undefined ? 'running' : 'starting',
    until: keeper.now() + CLAIM_MS,
    ...(hooks.incoming === undefined ? {} : { isHeld: true as const }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
  }
}

/** Extends the lease on a turn periodically (heartbeat), until the returned function is called. */
export function keepClaim({ keeper, id }: TurnScene, runId: string): () => void {
  let isOver = false
  let stop = (): void => {}
  const again = (): void => {
    if (isOver) return
    const put = (): void => {
      const until = keeper.now() + CLAIM_MS
      const later = (head: ConversationHead): ConversationHead | undefined =>
        isOver ? undefined : withTurn(head, runId, { until })
      keeper.change(id, later).then(again, again)
    }
    stop = keeper.clock.timer(CLAIM_MS / 3, put, true)
  }
  again()
  return () => {
    isOver = true
    stop()
  }
}

/** Waits until no other turn is open, then claims the conversation. A turn whose process ended is completed first. */
async function claimConversation(scene: TurnScene, claim: Claim): Promise<Begun> {
  const { keeper, id } = scene
  const { stream, options } = claim
  for (;;) {
    let found: 'new' | 'repeated' | 'other' = 'other'
    let head: ConversationHead | undefined
    await stream.attempt(async () => {
      head = await keeper.change(id, async (before) => {
        found = await foundAs(scene, claim, before)
        return found === 'new' ? { ...before, turn: newTurn(scene, claim, before) } : undefined
      })
      return found !== 'other'
    })
    if (head === undefined) return 'withdrawn'
    if (found !== 'other') return found === 'new' ? { head } : 'repeated'
    if (head.turn !== null) await awaitTurn(scene, head.turn, options.queue !== false)
  }
}

/** How a message relates to a head: it can begin its turn, its turn was begun before, or another turn is open. */
async function foundAs(
  { keeper }: TurnScene,
  { message, stream }: Claim,
  head: ConversationHead,
): Promise<'new' | 'repeated' | 'other'> {
  const blocks = await keeper.blocks(head)
  if (isRepeated(head, blocks, { runId: stream.streamId, message })) return 'repeated'
  checkMessageId(head, blocks, message.id)
  return head.turn === null ? 'new' : 'other'
}

/**
 * Waits for another turn, and settles it if no other process does. Throws when that turn waits for a person, and, unless `isPatient`, also while it is running.
 */
export async function awaitTurn(scene: TurnScene, turn: OpenTurn, isPatient: boolean): Promise<unknown> {
  const { keeper, place } = scene
  const here = followedIn(place).get(turn.runId)
  if (here !== undefined && isPatient) return here
  const state = (await place.service.journal.summary(turn.runId))?.state
  if (state === undefined && turn.status === 'suspended') throw waiting(scene.id, turn.pending ?? [])
  // Its journal may be elsewhere: starting the run here as well would perform every effect twice.
  const isClaimed = state === undefined && (turn.until ?? 0) > keeper.now()
  if (!isPatient && (isClaimed || (state !== undefined && !isEnded(state)))) throw await busy(scene, turn)
  if (here !== undefined) return here
  if (isClaimed) return delay(keeper.clock, LOOK_EVERY_MS)
  // Its agent may have been chosen, and its run may have ended, since the head was read.
  const head = await keeper.read(scene.id)
  if (head.turn?.runId !== turn.runId) return undefined
  // The lease has expired, so no process is choosing the agent any more. A message of which nothing can be read cannot be answered.
  const isOver = head.turn.agentId === null || (state === undefined && isLost(head.turn.prompt))
  return isOver ? abandonTurn(scene, turn.runId) : endTurn(scene, head, state)
}

/** Stores a turn whose run has ended, if its process did not. */
export async function settleEnded(scene: TurnScene, { turn }: ConversationHead): Promise<void> {
  if (turn === null || !isEnded((await scene.place.service.journal.summary(turn.runId))?.state)) return
  await awaitTurn(scene, turn, true)
}

/** The error for a message that must not wait. */
async function busy({ id, keeper, place }: TurnScene, turn: OpenTurn): Promise<MandateError> {
  const { status, pending } = await viewTurn(place, turn, keeper.now())
  if (status === 'suspended') return waiting(id, pending)
  return new MandateError(
    'RUN_STATE',
    `The conversation "${id}" has a turn under way (${turn.runId}). Send the message when it is over, or let it wait.`,
    { info: { streamId: turn.runId } },
  )
}

/** Completes a turn that another process began. */
async function endTurn(
  scene: TurnScene,
  head: ConversationHead,
  state: RunSummary['state'] | undefined,
): Promise<unknown> {
  const turn = head.turn!
  const run = runOf(scene, turn)
  const result = await run.resume(await requestOf(scene, head))
  if (result.status === 'await_user') {
    await park(scene, run, { turn, result })
    throw waiting(scene.id, result.pending)
  }
  // The process that had the run may be alive; its interceptors then decide what is stored.
  const isOthers = turn.status === 'running' && (isEnded(state) || run.isElsewhere)
  if (isOthers && (await isSettledSoon(scene, turn.runId))) return run.leave()
  return settle(scene, run, result)
}

function waiting(id: string, pending: readonly PendingCall[]): MandateError {
  const ids = pending.flatMap(({ approvalId }) => approvalId ?? [])
  const what = ids.length === 0 ? '' : ` (${ids.join(', ')})`
  return new MandateError(
    'RUN_STATE',
    `The conversation "${id}" waits for a person${what}. Answer that and continue the conversation, or cancel its turn.`,
    { info: { pending } },
  )
}
