import type { AgentResult } from '../../agent/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { chatMessages } from '../message/model-messages.ts'
import { answerOf } from './turn-block.ts'

/** The result of a turn: the answer, and the messages with calls and results that led to it. */
export interface AgentChatResult {
  readonly assistantMessage: ChatMessage
  readonly intermediateMessages: readonly ChatMessage[]
}

/**
 * Converts a result of an agent to an `AgentChatResult`. `shown` is the streamed text, which is longer than the result's if the run was interrupted.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { chatText } from 'mandate/chat'
 * import { agentChatResult } from 'mandate/compat'
 * import { scripted } from 'mandate/model'
 * const agent = new Agent({ id: 'greeter', model: scripted(['Hello.']) })
 * const { assistantMessage } = agentChatResult(await agent.run('Greet me.'))
 * chatText(assistantMessage) // 'Hello.'
 * ```
 */
export function agentChatResult(result: AgentResult, shown: string = result.text): AgentChatResult {
  const { id, messages, finishedAt } = result
  const now = Date.parse(finishedAt)
  const said = messages.map((message) => ({ message, at: now }))
  const assistantMessage = answerOf({ turn: { runId: id, agentId: null }, end: { result, said }, shown, now })
  const intermediateMessages = messages.flatMap((message, index) =>
    chatMessages(message, { id: `${id}.${index + 1}`, createdAt: now }),
  )
  return { assistantMessage, intermediateMessages }
}
