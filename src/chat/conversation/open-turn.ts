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

/** The state of an open turn, for readers. */
interface TurnView {
  /** `idle` when its run has ended, even if its messages are not stored yet. */
  readonly status: 'idle' | 'running' | 'suspended'
  readonly pending: readonly PendingCall[]
  /** Returns its messages so far. */
  messages(): Promise<readonly ChatMessage[]>
}

/** Whether a run has ended. */
export function isEnded(state: RunSummary['state'] | undefined): boolean {
  return state !== undefined && state !== 'running' && state !== 'suspended'
}

/**
 * Reads an open turn from the journal of its run, which may have advanced since the head was written: in another process, or outside the conversation. Nothing
 * is stored, so a reader needs no permission to write.
 */
export async function viewTurn(place: TurnPlace, turn: OpenTurn, now: number): Promise<TurnView> {
  const { before, prompt, after, runId } = turn
  const summary = await place.service.journal.summary(runId)
  const isClaimed = (turn.until ?? 0) > now
  if (summary === undefined || summary.erased)
    return {
      // Without a lease, its process ended before the run began.
      status: turn.status === 'suspended' || !isClaimed ? 'suspended' : 'running',
      pending: turn.pending ?? [],
      messages: async () => [...before, prompt, ...after],
    }
  const isOver = isEnded(summary.state)
  // The process whose interceptor checks the answer first still has its lease.
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

/** Returns the messages of a turn that has ended, as they will be stored. */
async function wholeTurn(
  { service }: TurnPlace,
  turn: OpenTurn,
  result: AgentResult<Json>,
): Promise<readonly ChatMessage[]> {
  const end = await turnEnd(service.journal, result)
  const ending = { turn, end, shown: turn.text ?? '', now: Date.parse(result.finishedAt) }
  return blockOf(ending, answerOf(ending), false).messages
}

/** Returns the calls, results and text of replies that are in the journal so far. */
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
