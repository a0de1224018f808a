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

/** The messages of the run in order, starting with history and prompt. They can be sent to a model as they are, however the run ended. */
export function conversationOf(entries: readonly Entry[]): readonly Message[] {
  const { outline, report } = RunView.of(entries)
  const { history, prompt } = outline.start!.input as unknown as AgentInput
  return answerOpenCalls([...history, ...(prompt === null ? [] : [prompt]), ...report.messages])
}

/** A message of a run, with its time and its entry. */
export interface SaidMessage {
  readonly message: Message
  readonly at: number
  readonly seq: number
}

/** The messages of a run so far, after its input, each with its time. */
export function saidSoFar(entries: readonly Entry[]): readonly SaidMessage[] {
  const fold = new ConversationFold()
  return entries.flatMap((entry) =>
    isErased(entry) ? [] : fold.add(entry).map((message) => ({ message, at: entry.at, seq: entry.seq })),
  )
}

/** The same for a run that is over: the messages can be sent to a model as they are, however the run ended. */
export function saidIn(entries: readonly Entry[]): readonly SaidMessage[] {
  const said = saidSoFar(entries)
  const known = new Map(said.map((each) => [each.message, each]))
  const { at, seq } = entries.at(-1) ?? { at: 0, seq: 0 }
  const whole = answerOpenCalls(said.map(({ message }) => message))
  return whole.map((message) => known.get(message) ?? { message, at, seq })
}

/** The labels of everything that a run was shown, which its conversation carries. */
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

/** Whether its messages have handles in place of labelled values. */
function hasHandles([first]: readonly Entry[]): boolean {
  const { pins } = (first?.data ?? {}) as { readonly pins?: { readonly mind?: Partial<AgentPins> | null } | null }
  return pins?.mind?.toolResults === 'handles'
}

const NO_RESULT = 'There is no result: the run was put away or ended before this call did.'

/** Answers open calls: a run that was killed or waits leaves tool calls without results, after which a conversation cannot continue. */
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
