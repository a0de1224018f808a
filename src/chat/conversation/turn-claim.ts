import { MandateError, delay } from '../../core/index.ts'
import type { PendingCall } from '../../agent/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import type { LiveStream } from '../turn/atlas-stream.ts'
import type { ConversationHead, OpenTurn } from './conversation-record.ts'
import { abandonTurn, isSettledSoon, park, settle } from './turn-end.ts'
import { contextOf, followedIn, requestOf, runOf, withTurn } from './turn-scene.ts'
import type { TurnScene } from './turn-scene.ts'

/** How long a turn is believed to be under way of which nothing else is heard; whoever has it puts that off while they are there. */
const CLAIM_MS = 30_000
const LOOK_EVERY_MS = 50

/** A message on its way. */
interface Claim {
  readonly message: ChatMessage
  readonly options: {
    readonly agentId?: string | undefined
    readonly instructions?: string | undefined
    readonly toolChoice?: string | undefined
  }
  readonly stream: LiveStream
}

/** Stores a message and makes the conversation its turn's own, once no other turn has it; then has the agent chosen. */
export async function beginTurn(scene: TurnScene, { message, options, stream }: Claim): Promise<ConversationHead> {
  const { keeper, hooks, id } = scene
  const { streamId } = stream
  const { agentId, instructions, toolChoice } = options
  const { choose } = hooks
  const claimed = await claimConversation(scene, streamId, (head) => ({
    runId: streamId,
    agentId: agentId ?? head.agentId,
    prompt: message,
    before: [],
    after: [],
    status: choose === undefined ? 'running' : 'starting',
    until: keeper.now() + CLAIM_MS,
    ...(instructions === undefined ? {} : { instructions }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
  }))
  if (choose === undefined) return claimed
  try {
    const chosen = await choose(message, contextOf(scene, streamId, agentId))
    return await keeper.change(id, (head) => withTurn(head, streamId, { agentId: chosen, status: 'running' }))
  } catch (error) {
    await abandonTurn(scene, streamId)
    throw error
  }
}

/** Tells other processes that this one is still at the turn, until the function that is given back is called. */
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

/** Waits until no other turn has the conversation. A turn whose process ended is brought to its end first. */
async function claimConversation(
  scene: TurnScene,
  runId: string,
  turnOf: (head: ConversationHead) => OpenTurn,
): Promise<ConversationHead> {
  const { keeper, id } = scene
  for (;;) {
    const head = await keeper.change(id, (before) =>
      before.turn === null ? { ...before, turn: turnOf(before) } : undefined,
    )
    if (head.turn?.runId === runId) return head
    if (head.turn !== null) await awaitTurn(scene, head.turn)
  }
}

/** Waits for the turn of another, and settles it where nobody else does. Throws where it waits for a person. */
async function awaitTurn(scene: TurnScene, turn: OpenTurn): Promise<unknown> {
  const { keeper, place } = scene
  const here = followedIn(place).get(turn.runId)
  if (here !== undefined) return here
  const state = (await place.service.journal.summary(turn.runId))?.state
  if (state === undefined && turn.status === 'suspended') throw waiting(scene.id, turn.pending ?? [])
  // Its journal may be elsewhere: to start the run here as well would do everything twice.
  if (state === undefined && (turn.until ?? 0) > keeper.now()) return delay(keeper.clock, LOOK_EVERY_MS)
  // Nobody is left who would have chosen.
  if (turn.agentId === null) return abandonTurn(scene, turn.runId)
  const head = await keeper.read(scene.id)
  return head.turn?.runId === turn.runId ? endTurn(scene, head, state) : undefined
}

/** Brings a turn to its end that another process began. */
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
  // Whoever had the run may still be there, and has a say in what is stored.
  const isEnded = state !== undefined && state !== 'running' && state !== 'suspended'
  const isOthers = turn.status === 'running' && (isEnded || run.isElsewhere)
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
