import { delay } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { AgentResult } from '../../agent/index.ts'
import { chatText } from '../message/chat-message.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { modelMessages } from '../message/model-messages.ts'
import { answerOf, blockOf, plainRole } from '../turn/turn-block.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import type { OpenTurn } from './conversation-record.ts'
import { followedIn, runOf, withTurn } from './turn-scene.ts'
import type { TurnScene } from './turn-scene.ts'

/** How long whoever ran a turn may take to store it before another process does. */
const SETTLE_GRACE_MS = 2_000
const LOOK_EVERY_MS = 50

/** Stores what a turn said, once, and gives the conversation free. Gives the answer that was kept, null where an interceptor kept none. */
export async function settle(scene: TurnScene, run: TurnRun, result: AgentResult<Json>): Promise<ChatMessage | null> {
  const { keeper, id, hooks } = scene
  const end = await run.end(result)
  const isWhole = result.status === 'completed' || result.status === 'max_tokens'
  const said = end.said.map(({ message }) => message)
  if (isWhole) run.fold.close(said, result.text)
  run.leave()
  const { shown } = run.fold
  let answer: ChatMessage | null | undefined
  await keeper.change(id, async (head) => {
    const { turn } = head
    if (turn?.runId !== result.id) return undefined
    const ending = { turn, end, shown, now: keeper.now() }
    const made = answerOf(ending)
    if (answer === undefined) answer = hooks.incoming === undefined ? made : await hooks.incoming(made)
    const isChanged = answer !== null && chatText(answer) !== chatText(made)
    await keeper.store.writeBlock(head.blocksId, head.blocks, keeper.redacted(blockOf(ending, answer, isChanged)))
    return { ...head, turn: null, blocks: head.blocks + 1 }
  })
  return answer === undefined ? storedAnswer(scene, result.id) : answer
}

/** The answer as another process has stored it. */
export async function storedAnswer({ keeper, id }: TurnScene, runId: string): Promise<ChatMessage | null> {
  const blocks = await keeper.blocks(await keeper.read(id))
  const block = blocks.findLast((one) => one.runId === runId)
  return block?.messages.find((message) => message.id === `${runId}.answer`) ?? null
}

/** Keeps a turn that waits for a person. */
export async function park(
  { keeper, id, parked }: TurnScene,
  run: TurnRun,
  { turn, result }: { readonly turn: OpenTurn; readonly result: AgentResult<Json> },
): Promise<void> {
  run.fold.listen(undefined)
  parked.set(turn.runId, run)
  const { shown } = run.fold
  await keeper.change(id, (head) =>
    withTurn(head, turn.runId, { status: 'suspended', pending: result.pending, text: shown }),
  )
}

/**
 * Ends a turn of which nothing came: the messages that were sent stay. A refused prompt does not: whoever sent it was told so, and sends it again once it
 * is put right.
 */
export async function abandonTurn({ keeper, id }: TurnScene, runId: string, isRefused = false): Promise<void> {
  await keeper.change(id, async (head) => {
    const { turn } = head
    if (turn?.runId !== runId) return undefined
    const messages = [...turn.before, ...(isRefused ? [] : [turn.prompt]), ...turn.after]
    if (messages.length === 0) return { ...head, turn: null }
    await keeper.store.writeBlock(head.blocksId, head.blocks, {
      messages,
      said: modelMessages(messages).map(plainRole),
    })
    return { ...head, turn: null, blocks: head.blocks + 1 }
  })
}

/** Ends the open turn of a conversation: its run is cancelled, and what it said is stored. One that cannot be brought back is let go. */
export async function cancelTurn(scene: TurnScene, turn: OpenTurn, reason: string): Promise<void> {
  const { place, parked } = scene
  const here = followedIn(place).get(turn.runId)
  const isParked = parked.has(turn.runId)
  try {
    await place.as.cancel(turn.runId, reason)
    if (here !== undefined) return void (await here)
    if (!isParked && turn.status !== 'suspended' && (await isSettledSoon(scene, turn.runId))) return
    const run = runOf(scene, turn)
    await settle(scene, run, await run.resume(undefined))
  } catch {
    await abandonTurn(scene, turn.runId)
  }
}

/** Whether whoever ran the turn stores it within a while. */
export async function isSettledSoon({ keeper, id }: TurnScene, runId: string): Promise<boolean> {
  const end = keeper.now() + SETTLE_GRACE_MS
  while (keeper.now() < end) {
    if ((await keeper.read(id)).turn?.runId !== runId) return true
    await delay(keeper.clock, LOOK_EVERY_MS)
  }
  return false
}
