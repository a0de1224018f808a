import type { EffectLabels, Json } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import type { CallKind } from '../session/cell-result.ts'

/** A call of a cell that was read and can be made. */
export interface PlannedCall {
  readonly kind: CallKind
  readonly name: string
  /** It starts a run inside this one. */
  readonly isRun?: boolean | undefined
  /** The effect, with the labels of the call. */
  effect(labels: EffectLabels | undefined): Effect
  /** What the cell gets, of what the effect gave. */
  value(given: Json): Json
  detail(value: Json): Json
}
