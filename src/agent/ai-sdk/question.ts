import { MandateError } from '../../core/index.ts'
import { toolCallsOf, toolMessage, toolResultsOf } from '../../model/index.ts'
import type { Message, ToolResultPart } from '../../model/index.ts'
import type { AgentCall, AiSdkMessage } from './agent-shapes.ts'
import { OWN_METADATA, messagesFrom, outputFrom } from './messages.ts'

/** The client's answer to an approval. */
export interface Answer {
  readonly approvalId: string
  readonly approved: boolean
  readonly reason?: string | undefined
}

/** The client's result of a call that was shown to it, with its run and key. */
export interface ClientOutput extends Pick<ToolResultPart, 'status' | 'value'> {
  readonly run: string
  readonly key: string
}

/** The request in a call: a new run, or the continuation of a waiting one. */
export interface Asked {
  readonly prompt: Message | string | undefined
  readonly history: readonly Message[]
  readonly answers: readonly Answer[]
  /** Answers in earlier messages: questions from below the agent have a step of their own, after the calls that wait for an approval. */
  readonly earlier: readonly Answer[]
  readonly outputs: readonly ClientOutput[]
  /** The ids of the calls in the conversation that are questions of sub-agents and scripts. */
  readonly nested: ReadonlySet<string>
}

/** Reads the arguments of a call. */
export function readCall({ prompt, messages }: AgentCall): Asked {
  const given = prompt ?? messages
  if (prompt !== undefined && messages !== undefined) throw invalid('Give either `prompt` or `messages`, not both.')
  if (typeof given === 'string')
    return { prompt: given, history: [], answers: [], earlier: [], outputs: [], nested: new Set() }
  if (!Array.isArray(given)) throw invalid('Give `prompt`: a text, or a list of messages.')
  const list = given as readonly AiSdkMessage[]
  if (list.some(({ role }) => role === 'system')) {
    throw invalid('A system message came with the conversation. Instructions belong to the agent: set `instructions`.')
  }
  const nested = nestedCalls(list)
  const brought = { ...answersIn(list), outputs: outputsIn(list), nested }
  const history = answerOpenCalls(messagesFrom(withoutCalls(list, nested)))
  const last = history.at(-1)
  return last?.role === 'user'
    ? { prompt: last, history: history.slice(0, -1), ...brought }
    : { prompt: undefined, history, ...brought }
}

/** Marks a call whose result a client may give: the waiting run, and the key in it. */
export interface CallMark {
  readonly run: string
  readonly key: string
  /** Set for questions of a sub-agent or a script. The agent itself did not make the call, and it is not part of its model's conversation. */
  readonly nested?: true
}

interface TheirPart {
  readonly type?: string
  readonly providerOptions?: { readonly [OWN_METADATA]?: Partial<Record<keyof CallMark, unknown>> | undefined }
  readonly approvalId?: string
  readonly toolCallId?: string
  readonly isAutomatic?: boolean
  readonly approved?: boolean
  readonly reason?: string
  readonly output?: { readonly type?: string }
}

/** New answers: those in the last message, to calls without a result. The gate's own denials were never asked. */
function answersIn(messages: readonly AiSdkMessage[]): Pick<Asked, 'answers' | 'earlier'> {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return { answers: [], earlier: [] }
  const parts = messages.flatMap(partsOf)
  const requests = new Map(
    parts.flatMap((part) => (part.type === 'tool-approval-request' ? [[part.approvalId, part] as const] : [])),
  )
  // The client adds a result of its own to a rejection; this package creates it instead.
  const settled = new Set(
    parts
      .filter(({ type, output }) => type === 'tool-result' && output?.type !== 'execution-denied')
      .map(({ toolCallId }) => toolCallId),
  )
  const answersOf = (message: AiSdkMessage): Answer[] =>
    partsOf(message).flatMap(({ type, approvalId, approved, reason }): Answer[] => {
      if (type !== 'tool-approval-response' || typeof approvalId !== 'string') return []
      const request = requests.get(approvalId)
      if (request?.isAutomatic === true || (request !== undefined && settled.has(request.toolCallId))) return []
      return [{ approvalId, approved: approved === true, ...(typeof reason === 'string' ? { reason } : {}) }]
    })
  return { answers: answersOf(last), earlier: messages.slice(0, -1).flatMap(answersOf) }
}

/** The ids of the calls that are questions from below the agent. */
function nestedCalls(messages: readonly AiSdkMessage[]): ReadonlySet<string> {
  const parts = messages.flatMap(partsOf)
  const nested = parts.filter((part) => part.type === 'tool-call' && markOf(part).nested === true)
  return new Set(nested.map(({ toolCallId }) => toolCallId!))
}

/** A conversation without some of its calls and their results. */
function withoutCalls(messages: readonly AiSdkMessage[], calls: ReadonlySet<string>): readonly AiSdkMessage[] {
  if (calls.size === 0) return messages
  return messages.map((message) => {
    if (typeof message.content === 'string') return message
    const content = partsOf(message).filter(({ toolCallId }) => toolCallId === undefined || !calls.has(toolCallId))
    return { ...message, content }
  })
}

function markOf({ providerOptions }: TheirPart): Partial<Record<keyof CallMark, unknown>> {
  return providerOptions?.[OWN_METADATA] ?? {}
}

/** Results in the last message of calls with this package's mark. Whether a run waits for them is checked later. */
function outputsIn(messages: readonly AiSdkMessage[]): readonly ClientOutput[] {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return []
  const calls = messages.flatMap(partsOf).filter(({ type }) => type === 'tool-call')
  return partsOf(last).flatMap(({ type, toolCallId, output }): ClientOutput[] => {
    if (type !== 'tool-result') return []
    const call = calls.findLast((one) => one.toolCallId === toolCallId)
    const { run, key } = call === undefined ? {} : markOf(call)
    return typeof run === 'string' && typeof key === 'string' ? [{ run, key, ...outputFrom(output) }] : []
  })
}

function partsOf({ content }: AiSdkMessage): readonly TheirPart[] {
  return typeof content === 'string' || !Array.isArray(content) ? [] : (content as readonly TheirPart[])
}

const NO_RESULT = 'There is no result: the conversation went on before this call ended.'

/** Answers open calls: people may continue the conversation while a call waits for them, and a model accepts only calls with results. */
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
