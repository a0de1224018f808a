import { joinLabels } from '../../core/index.ts'
import type { Label } from '../../core/index.ts'
import type { Entry } from '../../journal/index.ts'
import { toolCallsOf, toolMessage } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import { isWithheld } from '../../run/index.ts'
import type { AgentInput, AgentPins } from '../output/output-types.ts'
import { RunView } from '../output/run-view.ts'

/** The messages of the run in order: history and prompt first. It can be sent to a model as it is, however the run ended. */
export function conversationOf(entries: readonly Entry[]): readonly Message[] {
  const { outline, report } = RunView.of(entries)
  const { history, prompt } = outline.start!.input as unknown as AgentInput
  return answerOpenCalls([...history, ...(prompt === null ? [] : [prompt]), ...report.messages])
}

/** What a run was told was made from: the labels that its conversation hands on. */
export function conversationLabels(entries: readonly Entry[]): readonly Label[] {
  const isQuiet = hasHandles(entries)
  return joinLabels(
    ...entries.map(({ type, data }): readonly Label[] | undefined => {
      if (data === null) return undefined
      if (type === 'run-start') return data.labels
      if (type === 'run-end' && isQuiet) return data.labels
      if (type === 'note') return (data.value as { labels?: readonly Label[] } | null)?.labels
      const outcome = type === 'effect-end' ? data.outcome : undefined
      if (outcome === undefined || (isQuiet && isWithheld(outcome))) return undefined
      return outcome.status === 'ok' || outcome.status === 'failed' ? outcome.labels : undefined
    }),
  )
}

/** Handles stand in its messages for what was not clean. */
function hasHandles([first]: readonly Entry[]): boolean {
  const { pins } = (first?.data ?? {}) as { readonly pins?: { readonly mind?: Partial<AgentPins> | null } | null }
  return pins?.mind?.toolResults === 'handles'
}

const NO_RESULT = 'There is no result: the run was put away or ended before this call did.'

/** A run that was killed or waits leaves unanswered tool calls; a conversation cannot continue after them. */
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
