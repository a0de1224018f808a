import { allLabels, joinLabels } from '../../core/index.ts'
import type { EffectLabels, Json, Label, Ok } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import type { Request } from './perform.ts'

/** The labels of an effect's input as members of an entry; no member where there are none. */
export function labelsOf({ labels }: Effect): { readonly labels?: EffectLabels } {
  return labels === undefined || (Array.isArray(labels) && labels.length === 0) ? {} : { labels }
}

/** The labels of every result of an effect, as declared by its input and its target. */
export function declaredLabels({ run, effect, performer }: Request): readonly Label[] {
  return joinLabels(allLabels(effect.labels), performer.labels?.(effect, run))
}

/** An `ok` outcome with its labels, if it has any. */
export function okOutcome(value: Json, labels: readonly Label[]): Ok<Json> {
  return labels.length === 0 ? { status: 'ok', value } : { status: 'ok', value, labels }
}
