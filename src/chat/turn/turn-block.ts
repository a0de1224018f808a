import { assistantMessage } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import type { JsonObject } from '../../core/index.ts'
import type { AgentResult, SaidMessage } from '../../agent/index.ts'
import { chatText } from '../message/chat-message.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { chatMessages, modelMessages, plainPart, plainRole, withoutText } from '../message/model-messages.ts'
import type { ConversationBlock, OpenTurn } from '../conversation/conversation-record.ts'
import type { TurnEnd } from './turn-run.ts'

interface Ending {
  readonly turn: OpenTurn
  readonly end: TurnEnd
  /** All text that was streamed to listeners. */
  readonly shown: string
  readonly now: number
}

/** What an answer is built from. */
interface Answered {
  readonly turn: Pick<OpenTurn, 'runId' | 'agentId'>
  readonly end: {
    readonly result: Pick<AgentResult, 'status' | 'text'>
    readonly said: readonly Pick<SaidMessage, 'message' | 'at'>[]
  }
  readonly shown: string
  readonly now: number
}

/** Builds the answer of a turn; if the turn was interrupted, from the text that was written until then. */
export function answerOf({ turn, end, shown, now }: Answered): ChatMessage {
  const { result } = end
  const isWhole = result.status === 'completed' || result.status === 'max_tokens'
  const text = isWhole ? result.text : longer(shown, result.text)
  const files = end.said.flatMap(({ message }) =>
    message.role === 'assistant' ? message.content.flatMap(plainPart).filter(({ type }) => type !== 'text') : [],
  )
  return {
    id: `${turn.runId}.answer`,
    role: 'assistant',
    createdAt: now,
    content: [{ type: 'text', text }, ...files],
    ...metadataOf({ ...marks(result.status), ...(turn.agentId === null ? {} : { agentId: turn.agentId }) }),
  }
}

function metadataOf(metadata: JsonObject): { readonly metadata?: JsonObject } {
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}

/** Returns the metadata that marks an incomplete answer. */
function marks(status: TurnEnd['result']['status']): JsonObject {
  switch (status) {
    case 'completed':
      return {}
    case 'cancelled':
      return { cancelled: true }
    case 'await_user':
      return { suspended: true }
    case 'max_tokens':
      return { truncated: true }
    default:
      return { failed: true }
  }
}

/** Builds the block in which a turn is stored. `answer` is what an interceptor returned: null if it must not be stored. */
export function blockOf(ending: Ending, answer: ChatMessage | null, isChanged: boolean): ConversationBlock {
  const { turn, end } = ending
  const { prompt, before, after, runId } = turn
  const middle = end.said.flatMap(({ message, at }, index) =>
    chatMessages(message, { id: `${runId}.${index + 1}`, createdAt: at }),
  )
  const isKept =
    answer !== null && (chatText(answer) !== '' || answer.content.length > 1 || end.result.status === 'completed')
  const said = [
    ...modelMessages(before).map(plainRole),
    end.prompt ?? modelMessages([prompt])[0]!,
    ...(isChanged || answer === null
      ? rewritten(end, answer)
      : [...end.said.map(({ message }) => message), ...unsaid(ending)]),
    ...modelMessages(after).map(plainRole),
  ]
  return {
    messages: [...before, prompt, ...middle, ...(isKept ? [answer] : []), ...after],
    said,
    ...(end.labels.length === 0 ? {} : { labels: end.labels }),
    runId,
  }
}

/** Returns the transcript with the interceptor's answer in place of the text of the replies. */
function rewritten(end: TurnEnd, answer: ChatMessage | null): readonly Message[] {
  const calls = end.said.flatMap(({ message }) => withoutText(message) ?? [])
  return answer === null ? calls : [...calls, ...modelMessages([answer])]
}

/** Returns the text of a model call that was interrupted: the journal has no reply for it. */
function unsaid({ end, shown }: Ending): readonly Message[] {
  const { status, text } = end.result
  if (status === 'completed' || status === 'max_tokens') return []
  const rest = shown.startsWith(text) ? shown.slice(text.length).replace(/^\n/, '') : shown
  return rest === '' ? [] : [assistantMessage(rest)]
}

function longer(a: string, b: string): string {
  return a.length >= b.length ? a : b
}
