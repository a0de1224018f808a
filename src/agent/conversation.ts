import type { Entry } from '../journal/index.ts'
import { toolCallsOf, toolMessage } from '../model/index.ts'
import type { Message } from '../model/index.ts'
import type { AgentInput } from './output-types.ts'
import { RunView } from './run-view.ts'

/** What the run was asked and said, in order: history and prompt first. It can be sent to a model as it is, however the run ended. */
export function conversationOf(entries: readonly Entry[]): readonly Message[] {
  const { outline, report } = RunView.of(entries)
  const { history, prompt } = outline.start!.input as unknown as AgentInput
  return answerOpenCalls([...history, ...(prompt === null ? [] : [prompt]), ...report.report().messages])
}

const NO_RESULT = 'There is no result: the run was put away or ended before this call did.'

/** A run that was killed or waits leaves calls behind that nobody has answered; a conversation cannot go on over them. */
function answerOpenCalls(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message, index) => {
    const calls = message.role === 'assistant' ? toolCallsOf(message) : []
    if (calls.length === 0 || messages[index + 1]?.role === 'tool') return [message]
    const results = calls.map(({ toolCallId, name }) => {
      return { type: 'tool-result' as const, toolCallId, name, status: 'unknown' as const, value: NO_RESULT }
    })
    return [message, toolMessage(results)]
  })
}
