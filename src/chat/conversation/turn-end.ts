import { delay } from '../../core/index.ts'
import type { Json, MandateError } from '../../core/index.ts'
import type { AgentResult } from '../../agent/index.ts'
import { chatText } from '../message/chat-message.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { isLost } from '../message/stored-message.ts'
import { modelMessages, plainRole } from '../message/model-messages.ts'
import { answerOf, blockOf } from '../turn/turn-block.ts'
import { asFailure } from '../turn/turn-failure.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import type { OpenTurn } from './conversation-record.ts'
import { contextOf, followedIn, runOf, withTurn } from './turn-scene.ts'
import type { TurnScene } from './turn-scene.ts'

/** How long the process that ran a turn may take to store it before another process does. */
const SETTLE_GRACE_MS = 2_000
const LOOK_EVERY_MS = 50

/** What became of an answer: null if an interceptor rejected it, with the error if it failed. */
export interface Answer {
  readonly answer: ChatMessage | null
  readonly error?: MandateError | undefined
}

/** Stores the messages of a turn once, and releases the conversation. */
export async function settle(scene: TurnScene, run: TurnRun, result: AgentResult<Json>): Promise<Answer> {
  const { keeper, id, hooks } = scene
  const end = await run.end(result)
  const isWhole = result.status === 'completed' || result.status === 'max_tokens'
  const said = end.said.map(({ message }) => message)
  if (isWhole) run.fold.close(said, result.text)
  run.leave()
  const { shown } = run.fold
  let looked: Answer | undefined
  await keeper.change(id, async (head) => {
    const { turn } = head
    if (turn?.runId !== result.id) return undefined
    const ending = { turn, end, shown, now: keeper.now() }
    const made = answerOf(ending)
    looked ??= await lookAt(scene, made)
    const { answer } = looked
    const isChanged = answer !== null && chatText(answer) !== chatText(made)
    await keeper.store.writeBlock(head.blocksId, head.blocks, keeper.redacted(blockOf(ending, answer, isChanged)))
    return { ...head, turn: null, blocks: head.blocks + 1 }
  })
  const { error } = looked ?? {}
  if (error !== undefined) hooks.tell({ type: 'error', error }, contextOf(scene, result.id))
  return looked ?? { answer: await storedAnswer(scene, result.id) }
}

/** Has the interceptors look at an answer. Fails closed: an answer that they could not check is not stored. */
async function lookAt({ hooks }: TurnScene, made: ChatMessage): Promise<Answer> {
  if (hooks.incoming === undefined) return { answer: made }
  try {
    return { answer: await hooks.incoming(made) }
  } catch (error) {
    return { answer: null, error: asFailure(error) }
  }
}

/** Returns the stored answer of a run; null when there is none. */
export async function storedAnswer({ keeper, id }: TurnScene, runId: string): Promise<ChatMessage | null> {
  const blocks = await keeper.blocks(await keeper.read(id))
  const block = blocks.findLast((one) => one.runId === runId)
  return block?.messages.find((message) => message.id === `${runId}.answer`) ?? null
}

/** Marks a turn as suspended, and keeps its run while it waits for a person. */
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
 * Ends a turn that produced nothing: the messages that were sent stay. A refused prompt is dropped: its sender got the error, and sends it again once it is
 * corrected.
 */
export async function abandonTurn({ keeper, id }: TurnScene, runId: string, isRefused = false): Promise<void> {
  await keeper.change(id, async (head) => {
    const { turn } = head
    if (turn?.runId !== runId) return undefined
    const messages = [...turn.before, ...(isRefused ? [] : [turn.prompt]), ...turn.after]
    if (messages.length === 0) return { ...head, turn: null }
    await keeper.store.writeBlock(head.blocksId, head.blocks, {
      messages,
      said: modelMessages(messages.filter((message) => !isLost(message))).map(plainRole),
    })
    return { ...head, turn: null, blocks: head.blocks + 1 }
  })
}

/** Ends the open turn of a conversation: cancels its run and stores what it said. A turn whose run cannot be resumed is abandoned. */
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

/** Whether the process that ran the turn stores it within the grace period. */
export async function isSettledSoon({ keeper, id }: TurnScene, runId: string): Promise<boolean> {
  const end = keeper.now() + SETTLE_GRACE_MS
  while (keeper.now() < end) {
    if ((await keeper.read(id)).turn?.runId !== runId) return true
    await delay(keeper.clock, LOOK_EVERY_MS)
  }
  return false
}
