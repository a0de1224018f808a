import type { EffectLabels, Json, Outcome } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import type { CallKind } from '../session/cell-result.ts'

/** Asks for an effect in the name of a call. */
export type Ask = (effect: Effect) => Promise<Outcome<Json>>

/** A call of a cell that was read and can be made. */
export interface PlannedCall {
  readonly kind: CallKind
  readonly name: string
  /** The function that cells know it by, where that is not its name: what an intent may name. */
  readonly calledAs?: string | undefined
  /** It starts a run inside this one. */
  readonly isRun?: boolean | undefined
  /** It does not count against the limit of its kind. */
  readonly isUncounted?: boolean | undefined
  /** It counts as a definition of a graph, if it succeeds. */
  readonly defines?: boolean | undefined
  /** Carries it out, with the labels of its input. */
  perform(ask: Ask, labels: EffectLabels | undefined): Promise<Outcome<Json>>
  /** What the record says of it. */
  detail(value: Json): Json
}

/** A call that is one effect: what the cell gets is made of what the effect gave. */
export function oneEffect(
  make: (labels: EffectLabels | undefined) => Effect,
  value: (given: Json) => Json = (given) => given,
): PlannedCall['perform'] {
  return async (ask, labels) => {
    const outcome = await ask(make(labels))
    return outcome.status === 'ok' ? { ...outcome, value: value(outcome.value) } : outcome
  }
}
