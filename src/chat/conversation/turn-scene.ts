import { MandateError, joinLabels } from '../../core/index.ts'
import type { BudgetLimits } from '../../core/index.ts'
import { withinWindow } from '../../agent/index.ts'
import type { HistoryWindow } from '../../agent/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { modelMessages, plainRole } from '../message/model-messages.ts'
import { isLost } from '../message/stored-message.ts'
import type { TurnContext, TurnHooks } from '../turn/turn-hooks.ts'
import { TurnRun } from '../turn/turn-run.ts'
import type { TurnPlace, TurnRequest } from '../turn/turn-run.ts'
import type { ConversationKeeper } from './conversation-keeper.ts'
import type { ConversationHead, OpenTurn } from './conversation-record.ts'

/** What the turns of one conversation need. */
export interface TurnScene {
  readonly id: string
  readonly keeper: ConversationKeeper
  readonly place: TurnPlace
  readonly hooks: TurnHooks
  /** Runs of turns that wait for a person, by run id. Their events are still collected here. */
  readonly parked: Map<string, TurnRun>
}

export function contextOf({ id }: TurnScene, streamId: string, agentId?: string): TurnContext {
  return { conversationId: id, streamId, agentId }
}

/** Returns the run of an open turn: the parked one, or a new one. */
export function runOf({ parked, place }: TurnScene, turn: OpenTurn): TurnRun {
  const known = parked.get(turn.runId)
  parked.delete(turn.runId)
  return known ?? new TurnRun(place, turn.runId, turn.text)
}

/**
 * Throws when the session with the id of the conversation belongs to another identity. Turns are runs of that session: its memory and files would be disclosed,
 * and its owner could not continue it.
 */
export async function checkOwnSession(as: TurnPlace['as'], id: string): Promise<void> {
  try {
    await as.checkSession(id)
  } catch (error) {
    if (!MandateError.isInstance(error) || error.code !== 'NOT_FOUND') throw error
    throw new MandateError('DUPLICATE', `The id "${id}" is that of another session. Give the conversation another id.`)
  }
}

/** Builds the request for the run of a turn: the history and the prompt. */
export async function requestOf(
  scene: TurnScene,
  head: ConversationHead,
  given?: { readonly prompt: ChatMessage; readonly budget: BudgetLimits | undefined },
): Promise<TurnRequest> {
  const turn = head.turn
  if (turn === null) throw nothingOpen(head.id)
  if (turn.agentId === null)
    throw new MandateError(
      'CONFIG_INVALID',
      'There is no agent to answer. Give the conversation or the message an `agentId`.',
    )
  if (given === undefined && isLost(turn.prompt))
    throw new MandateError(
      'RUN_STATE',
      `Nothing can be read of the message that the conversation "${head.id}" has to answer. Cancel its turn, or send another message.`,
    )
  // Another identity may have begun a session with this id since the conversation was created. Once the conversation has a run, none can.
  if (head.blocks === 0) await checkOwnSession(scene.place.as, head.id)
  const blocks = await scene.keeper.blocks(head)
  const before = [
    ...blocks.flatMap(({ said }) => said),
    ...modelMessages(turn.before.filter((message) => !isLost(message))).map(plainRole),
  ]
  const prompt = modelMessages([given?.prompt ?? turn.prompt])[0]!
  // The prompt counts towards the window.
  const window = windowOf(scene, turn.agentId)
  const history = window === undefined ? before : withinWindow([...before, prompt], window).slice(0, -1)
  const { instructions, toolChoice } = turn
  return {
    agentId: turn.agentId,
    prompt,
    options: {
      sessionId: head.id,
      history,
      historyLabels: joinLabels(...blocks.map(({ labels }) => labels)),
      instructions,
      toolChoice,
      budget: given?.budget,
    },
  }
}

/**
 * Returns the window that limits the history of a run. Messages that no model would be shown are not written into the journal of every turn; an agent that
 * compacts its history needs all of them.
 */
function windowOf({ place, hooks }: TurnScene, agentId: string): HistoryWindow | undefined {
  const own = place.service.agent(agentId).history
  if (Object.keys(own).length === 0) return hooks.window
  return own.compact === true ? undefined : own
}

/** Returns the head with changes to its open turn; undefined when that turn has ended. */
export function withTurn(
  head: ConversationHead,
  runId: string,
  change: Partial<OpenTurn>,
): ConversationHead | undefined {
  return head.turn?.runId === runId ? { ...head, turn: { ...head.turn, ...change } } : undefined
}

/** The error for a conversation without an open turn. */
export function nothingOpen(id: string): MandateError {
  return new MandateError('RUN_STATE', `The conversation "${id}" has no turn to continue. Send a message.`)
}

/** Turns that a stream of this process follows to their end, by service and run id. */
const followed = new WeakMap<object, Map<string, Promise<unknown>>>()

/** Returns the followed turns of one service. */
export function followedIn({ service }: TurnPlace): Map<string, Promise<unknown>> {
  const known = followed.get(service) ?? new Map<string, Promise<unknown>>()
  followed.set(service, known)
  return known
}
