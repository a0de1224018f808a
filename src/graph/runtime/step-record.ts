import type { ErrorInfo, Json } from '../../core/index.ts'
import type { RunFold } from '../../journal/index.ts'
import { isLastAttempt } from './activation.ts'
import type { CompiledNode } from './compiled-graph.ts'
import type { Activation, NodeFailure, NodeResult, Target } from './node-result.ts'
import { choiceOf } from './routes.ts'

/** A recorded value with the number of its entry. */
interface Found<T> {
  readonly value: T
  readonly seq: number
}

type Note = { readonly value?: Json; readonly error?: ErrorInfo }

/** The recorded result of an activation; `undefined` if it has not finished. */
export function recordedResult(
  fold: RunFold,
  { key }: Activation,
  node: CompiledNode,
): Found<NodeResult | NodeFailure> | undefined {
  for (let attempt = 1; ; attempt++) {
    const note = fold.notes.get(`${key}/run${attempt === 1 ? '' : `#${attempt}`}`)
    if (note === undefined) return refusedPause(fold, key)
    const { value, error } = note.value as unknown as Note
    if (error === undefined) return afterPause(fold, key, node, { value: value as NodeResult, seq: note.seq })
    if (isLastAttempt(node, attempt, error)) return { value: { failed: error }, seq: note.seq }
  }
}

/** A node that pauses afterwards has finished when the question is answered. */
function afterPause(
  fold: RunFold,
  key: string,
  node: CompiledNode,
  found: Found<NodeResult>,
): Found<NodeResult | NodeFailure> | undefined {
  if (node.pause !== 'after') return found
  const end = fold.effects.get(`${key}/pause`)?.end
  if (end === undefined) return undefined
  return end.data.outcome.status === 'ok' ? { ...found, seq: end.seq } : refusedPause(fold, key)
}

function refusedPause(fold: RunFold, key: string): Found<NodeFailure> | undefined {
  const end = fold.effects.get(`${key}/pause`)?.end
  if (end === undefined || end.data.outcome.status === 'ok') return undefined
  return { value: { failed: { code: 'APPROVAL_REFUSED', message: 'The pause was refused.' } }, seq: end.seq }
}

/** The recorded choice of a router. */
export function recordedChoice(fold: RunFold, key: string): Found<readonly Target[]> | undefined {
  const note = fold.notes.get(key)
  if (note === undefined) return undefined
  const { value } = note.value as unknown as Note
  return value === undefined ? undefined : { value: choiceOf(value), seq: note.seq }
}
