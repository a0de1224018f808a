import { type Message, type ToolCallPart, toolCallsOf } from './message.ts'

/** A problem because of which a transcript cannot be sent to a model. */
export type TranscriptProblem = {
  readonly kind: 'unanswered' | 'unmatched' | 'repeated' | 'misplaced'
  /** The index of the message. */
  readonly index: number
  readonly toolCallId: string
  readonly message: string
}

/**
 * Checks that every tool call has exactly one result before the next message that is not from a tool; providers refuse anything else. Call ids need
 * to be unique only within one reply, because some providers repeat them.
 */
export function checkTranscript(messages: readonly Message[]): readonly TranscriptProblem[] {
  const problems: TranscriptProblem[] = []
  let open = new Map<string, ToolCallPart>()
  let answered = new Set<string>()
  let calledAt = 0
  const closeCalls = (): void => {
    for (const [id, call] of open)
      problems.push(problem('unanswered', calledAt, id, `the call of ${call.name} has no result`))
  }
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      for (const part of message.content) {
        if (part.type !== 'tool-result') continue
        const id = part.toolCallId
        if (open.delete(id)) answered.add(id)
        else if (answered.has(id))
          problems.push(problem('repeated', index, id, `the call of ${part.name} has a second result`))
        else problems.push(problem('unmatched', index, id, `a result of ${part.name} belongs to no call`))
      }
      continue
    }
    closeCalls()
    answered = new Set()
    open = new Map()
    calledAt = index
    problems.push(...misplaced(message, index))
    if (message.role !== 'assistant') continue
    for (const call of toolCallsOf(message)) {
      if (open.has(call.toolCallId))
        problems.push(problem('repeated', index, call.toolCallId, `two calls have this id`))
      open.set(call.toolCallId, call)
    }
  }
  closeCalls()
  return problems
}

/** Calls belong to the assistant and results to tools; only what the provider executed itself may be in an assistant's message. */
function misplaced(message: Message, index: number): TranscriptProblem[] {
  return message.content.flatMap((part) => {
    if (part.type === 'tool-call' && message.role !== 'assistant') {
      return [problem('misplaced', index, part.toolCallId, `a ${message.role} message cannot call a tool`)]
    }
    if (part.type === 'tool-result' && !(message.role === 'assistant' && part.providerExecuted === true)) {
      return [problem('misplaced', index, part.toolCallId, `a tool result cannot stand in a ${message.role} message`)]
    }
    return []
  })
}

function problem(kind: TranscriptProblem['kind'], index: number, toolCallId: string, what: string): TranscriptProblem {
  return { kind, index, toolCallId, message: `message ${index}: ${what} (${toolCallId})` }
}
