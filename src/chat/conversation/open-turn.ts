import { saidSoFar } from '../../agent/index.ts'
import type { AgentResult, PendingCall } from '../../agent/index.ts'
import type { Json } from '../../core/index.ts'
import { readAll } from '../../journal/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import { chatText } from '../message/chat-message.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { chatMessages } from '../message/model-messages.ts'
import { answerOf, blockOf } from '../turn/turn-block.ts'
import { turnEnd } from '../turn/turn-run.ts'
import type { TurnPlace } from '../turn/turn-run.ts'
import type { OpenTurn } from './conversation-record.ts'

/** An open turn as its reader sees it. */
interface TurnView {
  /** `idle` where its run is over, although nothing of it is stored yet. */
  readonly status: 'idle' | 'running' | 'suspended'
  readonly pending: readonly PendingCall[]
  /** Its messages, as far as it is. */
  messages(): Promise<readonly ChatMessage[]>
}

/** Whether a run is over. */
export function isEnded(state: RunSummary['state'] | undefined): boolean {
  return state !== undefined && state !== 'running' && state !== 'suspended'
}

/**
 * Reads an open turn by the journal of its run, which may have gone on since the head was written: in another process, or without the conversation. Nothing is
 * stored, so that a reader needs no right to write.
 */
export async function viewTurn(place: TurnPlace, turn: OpenTurn, now: number): Promise<TurnView> {
  const { before, prompt, after, runId } = turn
  const summary = await place.service.journal.summary(runId)
  const isClaimed = (turn.until ?? 0) > now
  if (summary === undefined || summary.erased)
    return {
      // Its process ended before the run began.
      status: turn.status === 'suspended' || !isClaimed ? 'suspended' : 'running',
      pending: turn.pending ?? [],
      messages: async () => [...before, prompt, ...after],
    }
  const isOver = isEnded(summary.state)
  // Whoever looks at the answer first is still there.
  const isHeld = turn.isHeld === true && isClaimed
  if (isOver && !isHeld)
    return { status: 'idle', pending: [], messages: async () => wholeTurn(place, turn, await place.as.result(runId)) }
  const result = summary.state === 'suspended' ? await place.as.result(runId) : undefined
  return {
    status: result === undefined ? 'running' : 'suspended',
    pending: result?.pending ?? [],
    messages: () => turnSoFar(place, turn, isHeld),
  }
}

/** The messages of a turn that is over, as they will be stored. */
async function wholeTurn(
  { service }: TurnPlace,
  turn: OpenTurn,
  result: AgentResult<Json>,
): Promise<readonly ChatMessage[]> {
  const end = await turnEnd(service.journal, result)
  const ending = { turn, end, shown: turn.text ?? '', now: Date.parse(result.finishedAt) }
  return blockOf(ending, answerOf(ending), false).messages
}

/** Calls, results and the text of the replies that the journal has. */
async function turnSoFar({ service, as }: TurnPlace, turn: OpenTurn, isHeld: boolean): Promise<readonly ChatMessage[]> {
  const { before, prompt, after, runId, status } = turn
  const said = saidSoFar(await readAll(service.journal, runId))
  const middle = said.flatMap(({ message, at }, index) =>
    chatMessages(message, { id: `${runId}.${index + 1}`, createdAt: at }),
  )
  const result = await as.result(runId)
  const answer = answerOf({ turn, end: { result, said }, shown: turn.text ?? '', now: Date.parse(result.finishedAt) })
  const mark = status === 'suspended' ? { suspended: true } : { running: true }
  const { agentId } = turn
  const soFar: ChatMessage = { ...answer, metadata: { ...mark, ...(agentId === null ? {} : { agentId }) } }
  const isShown = !isHeld && chatText(answer) !== ''
  return [...before, prompt, ...middle, ...(isShown ? [soFar] : []), ...after]
}
