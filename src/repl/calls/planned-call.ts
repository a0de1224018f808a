import type { EffectLabels, Json, Outcome } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import type { CallKind } from '../session/cell-result.ts'

/** Performs an effect on behalf of a call. */
export type Ask = (effect: Effect) => Promise<Outcome<Json>>

/** A validated call of a cell, ready to be performed. */
export interface PlannedCall {
  readonly kind: CallKind
  readonly name: string
  /** The name of the function in cells, if it differs from `name`. An intent may refer to it. */
  readonly calledAs?: string | undefined
  /** The call starts a child run. */
  readonly isRun?: boolean | undefined
  /** The call does not count against the limit of its kind. */
  readonly isUncounted?: boolean | undefined
  /** The call counts as a graph definition if it succeeds. */
  readonly defines?: boolean | undefined
  /** Performs the call with the labels of its input. */
  perform(ask: Ask, labels: EffectLabels | undefined): Promise<Outcome<Json>>
  /** Returns the `detail` of the call record. */
  detail(value: Json): Json
}

/** Creates the `perform` function of a call that is one effect. `value` converts the result of the effect to that of the call. */
export function oneEffect(
  make: (labels: EffectLabels | undefined) => Effect,
  value: (given: Json) => Json = (given) => given,
): PlannedCall['perform'] {
  return async (ask, labels) => {
    const outcome = await ask(make(labels))
    return outcome.status === 'ok' ? { ...outcome, value: value(outcome.value) } : outcome
  }
}
