import { MandateError } from '../../core/index.ts'
import { toolCallsOf, toolMessage, toolResultsOf } from '../../model/index.ts'
import type { Message, ToolResultPart } from '../../model/index.ts'
import type { AgentCall, AiSdkMessage } from './agent-shapes.ts'
import { messagesFrom } from './messages.ts'

/** The answer to an approval, as the client sends it. */
export interface Answer {
  readonly approvalId: string
  readonly approved: boolean
  readonly reason?: string | undefined
}

/** What a call asks for: something new, or that runs go on which waited for an answer. */
export type Asked =
  | { readonly prompt: Message | string | undefined; readonly history: readonly Message[] }
  | { readonly answers: readonly Answer[] }

/** Reads what the agent is called with. */
export function readCall({ prompt, messages }: AgentCall): Asked {
  const given = prompt ?? messages
  if (prompt !== undefined && messages !== undefined) throw invalid('Give either `prompt` or `messages`, not both.')
  if (typeof given === 'string') return { prompt: given, history: [] }
  if (!Array.isArray(given)) throw invalid('Give `prompt`: a text, or a list of messages.')
  const list = given as readonly AiSdkMessage[]
  if (list.some(({ role }) => role === 'system')) {
    throw invalid('A system message came with the conversation. Instructions belong to the agent: set `instructions`.')
  }
  const answers = answersIn(list)
  if (answers.length > 0) return { answers }
  const history = answerOpenCalls(messagesFrom(list))
  const last = history.at(-1)
  return last?.role === 'user' ? { prompt: last, history: history.slice(0, -1) } : { prompt: undefined, history }
}

interface Approval {
  readonly type?: string
  readonly approvalId?: string
  readonly toolCallId?: string
  readonly isAutomatic?: boolean
  readonly approved?: boolean
  readonly reason?: string
  readonly output?: { readonly type?: string }
}

/** Answers that are news: in the last message, to calls that have no result yet. What the gate denied by itself was never asked. */
function answersIn(messages: readonly AiSdkMessage[]): readonly Answer[] {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return []
  const requests = new Map(
    messages
      .flatMap(partsOf)
      .flatMap((part) => (part.type === 'tool-approval-request' ? [[part.approvalId, part] as const] : [])),
  )
  // A refusal comes with a result that the client's own code made up; it is ours to make.
  const settled = new Set(
    partsOf(last)
      .filter(({ type, output }) => type === 'tool-result' && output?.type !== 'execution-denied')
      .map(({ toolCallId }) => toolCallId),
  )
  return partsOf(last).flatMap(({ type, approvalId, approved, reason }): Answer[] => {
    if (type !== 'tool-approval-response' || typeof approvalId !== 'string') return []
    const request = requests.get(approvalId)
    if (request?.isAutomatic === true || (request !== undefined && settled.has(request.toolCallId))) return []
    return [{ approvalId, approved: approved === true, ...(typeof reason === 'string' ? { reason } : {}) }]
  })
}

function partsOf({ content }: AiSdkMessage): readonly Approval[] {
  return typeof content === 'string' || !Array.isArray(content) ? [] : (content as readonly Approval[])
}

const NO_RESULT = 'There is no result: the conversation went on before this call ended.'

/** People write on while a call waits for them, or come back with half an answer; a model takes only calls that have their results. */
function answerOpenCalls(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return [message]
    const next = messages[index + 1]
    const given = new Set(next?.role === 'tool' ? toolResultsOf(next).map(({ toolCallId }) => toolCallId) : [])
    const missing = toolCallsOf(message).filter(({ toolCallId }) => !given.has(toolCallId))
    const results = missing.map(({ toolCallId, name }): ToolResultPart => {
      return { type: 'tool-result', toolCallId, name, status: 'unknown', value: NO_RESULT }
    })
    return results.length === 0 ? [message] : [message, toolMessage(results)]
  })
}

function invalid(message: string): MandateError {
  return new MandateError('INPUT_INVALID', message)
}
