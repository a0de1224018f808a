import { MandateError, toPlain } from '../core/index.ts'
import type { BudgetLimits, Json, MandateEvent } from '../core/index.ts'
import type { Durability, EffectEndData, EffectStartData, Identity, RunEndData } from '../journal/index.ts'
import { userMessage } from '../model/index.ts'
import type { Message } from '../model/index.ts'

export interface StepInfo {
  readonly runId: string
  readonly agentId: string
  readonly turn: number
}

/** What a caller may be told while a run is under way. A callback that throws does not disturb it. */
export interface RunCallbacks {
  readonly onStepStart?: ((step: StepInfo) => unknown) | undefined
  readonly onModelTokens?: ((text: string) => unknown) | undefined
  readonly onToolCall?: ((toolId: string, input: Json) => unknown) | undefined
  readonly onError?: ((error: { readonly code: string; readonly message: string }) => unknown) | undefined
}

export interface RunOptions extends RunCallbacks {
  readonly signal?: AbortSignal | undefined
  /** Text deltas, the shorter way. */
  readonly stream?: { readonly onTextDelta?: ((text: string) => unknown) | undefined } | undefined
  /** Facts for hooks and sub-agents; plain data. */
  readonly context?: unknown
  readonly sessionId?: string | undefined
  /** Starting the same id twice gives the same run. */
  readonly runId?: string | undefined
  /** Where the agent was loaded from; kept in the journal for whoever resumes the run. */
  readonly source?: string | undefined
  readonly identity?: Identity | undefined
  readonly budget?: BudgetLimits | undefined
  readonly durability?: Durability | undefined
  /** Messages that came before. */
  readonly history?: readonly Message[] | undefined
}

export type Prompt = string | Message | undefined

/** The user's message, in whichever form it was given. */
export function readPrompt(prompt: Prompt, taskPrompt: string | undefined, history: readonly Message[]): Message | null {
  if (typeof prompt === 'object' && Array.isArray(prompt.content)) return toPlain(prompt).value as unknown as Message
  const text = prompt ?? taskPrompt
  if (typeof text === 'string' && text !== '') return userMessage(text)
  if (history.length > 0) return null
  throw new MandateError('INPUT_INVALID', 'There is nothing to do: give a prompt to `run`, or a `taskPrompt` to the agent.')
}

/** Translates the events of one run into callbacks. */
export function callbackListener(callbacks: RunOptions): (event: MandateEvent) => void {
  const { onStepStart, onModelTokens, onToolCall, onError, stream } = callbacks
  const separate = turnSeparator()
  return (event) => {
    const { type, runId, agentId } = event
    if (type === 'step-start') onStepStart?.({ runId, agentId, turn: (event.data as { turn: number }).turn })
    else if (type === 'text-delta') {
      const text = separate(event)
      onModelTokens?.(text)
      stream?.onTextDelta?.(text)
    } else if (type === 'effect-start') {
      const { kind, name, input } = event.data as unknown as EffectStartData
      if (kind === 'tool') onToolCall?.(name, input)
    } else onErrorOf(event, onError)
  }
}

/** The failure an event tells of, if it does. */
export function failureIn(event: MandateEvent): { code: string; message: string } | undefined {
  if (event.type === 'run-end') {
    const { state, error } = event.data as unknown as RunEndData
    return state === 'failed' ? error : undefined
  }
  if (event.type !== 'effect-end') return undefined
  const { outcome } = event.data as unknown as EffectEndData
  if (outcome.status === 'failed') return outcome.error
  return outcome.status === 'denied' ? { code: outcome.code, message: outcome.reason } : undefined
}

function onErrorOf(event: MandateEvent, onError: RunCallbacks['onError']): void {
  const failure = onError === undefined ? undefined : failureIn(event)
  if (failure !== undefined) onError?.(failure)
}

/** Puts a line break before the first text of every turn but the first, so that the deltas put together are the final text. */
export function turnSeparator(): (event: MandateEvent) => string {
  let last: string | undefined
  return (event) => {
    const { text } = event.data as { text: string }
    if (text === '') return ''
    const isNewTurn = last !== undefined && last !== event.key
    last = event.key
    return isNewTurn ? `\n${text}` : text
  }
}
