import type { MandateEvent } from '../../journal/index.ts'
import { failuresOnce } from './failure-event.ts'
import type { RunCallbacks, RunOptions } from './run-options.ts'
import { TextFold } from './text-stream.ts'
import { CALLS } from '../config/callable.ts'

type Listener = (event: MandateEvent) => unknown

/** Translates the events of one run to callbacks. */
export function callbackListener(options: RunOptions): Listener {
  const { onStepStart, onToolCall, onError } = options
  const listeners = [
    onStepStart === undefined ? undefined : stepListener(onStepStart),
    textListener(options),
    onToolCall === undefined ? undefined : toolListener(onToolCall),
    onError === undefined ? undefined : errorListener(onError),
  ].filter((listener) => listener !== undefined)
  return (event) => {
    for (const listener of listeners) listener(event)
  }
}

function stepListener(onStepStart: NonNullable<RunCallbacks['onStepStart']>): Listener {
  return ({ type, runId, agentId, data }) => {
    if (type === 'step-start') safely(() => onStepStart({ runId, agentId, turn: data.turn }))
  }
}

function textListener({ onModelTokens, onTextReset, stream }: RunOptions): Listener | undefined {
  const onTextDelta = stream?.onTextDelta
  if (onModelTokens === undefined && onTextReset === undefined && onTextDelta === undefined) return undefined
  const fold = new TextFold()
  return (event) => {
    const change = fold.add(event)
    if (change === undefined) return
    if ('standing' in change) return safely(() => onTextReset?.(change.standing))
    safely(() => onModelTokens?.(change.more))
    safely(() => onTextDelta?.(change.more))
  }
}

function toolListener(onToolCall: NonNullable<RunCallbacks['onToolCall']>): Listener {
  return ({ type, data }) => {
    if (type !== 'effect-start') return
    const { kind, name, input } = data
    if (CALLS.has(kind)) safely(() => onToolCall(name, input))
  }
}

function errorListener(onError: NonNullable<RunCallbacks['onError']>): Listener {
  const failureOf = failuresOnce()
  return (event) => {
    const failure = failureOf(event)
    if (failure !== undefined) safely(() => onError(failure))
  }
}

/** A callback that fails disturbs neither the others nor the run. */
function safely(call: () => unknown): void {
  try {
    const result = call()
    if (result instanceof Promise) result.catch(() => {})
  } catch {
    // Errors of callbacks are ignored: they must not end the run.
  }
}
