import { joinLabels } from '../../core/index.ts'
import type { Label } from '../../core/index.ts'
import { isErased } from '../../journal/index.ts'
import type { Entry } from '../../journal/index.ts'
import { toolCallsOf, toolMessage } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import { isWithheld } from '../../run/index.ts'
import type { AgentInput, AgentPins } from '../output/output-types.ts'
import { ConversationFold } from './conversation-fold.ts'
import { RunView } from '../output/run-view.ts'

/** The messages of the run in order: history and prompt first. It can be sent to a model as it is, however the run ended. */
export function conversationOf(entries: readonly Entry[]): readonly Message[] {
  const { outline, report } = RunView.of(entries)
  const { history, prompt } = outline.start!.input as unknown as AgentInput
  return answerOpenCalls([...history, ...(prompt === null ? [] : [prompt]), ...report.messages])
}

/** A message of a run, and when it was said. */
export interface SaidMessage {
  readonly message: Message
  readonly at: number
}

/** What was said in a run so far, after what it was given, each with its time. */
export function saidSoFar(entries: readonly Entry[]): readonly SaidMessage[] {
  const fold = new ConversationFold()
  return entries.flatMap((entry) =>
    isErased(entry) ? [] : fold.add(entry).map((message) => ({ message, at: entry.at })),
  )
}

/** The same of a run that is over: it can be sent to a model as it is, however the run ended. */
export function saidIn(entries: readonly Entry[]): readonly SaidMessage[] {
  const said = saidSoFar(entries)
  const times = new Map(said.map(({ message, at }) => [message, at]))
  const last = entries.at(-1)?.at ?? 0
  const whole = answerOpenCalls(said.map(({ message }) => message))
  return whole.map((message) => ({ message, at: times.get(message) ?? last }))
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
