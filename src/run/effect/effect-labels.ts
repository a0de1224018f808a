import { allLabels, joinLabels } from '../../core/index.ts'
import type { EffectLabels, Json, Label, Ok } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import type { Request } from './perform.ts'

/** What an entry says of an input's labels: nothing where it is clean. */
export function labelsOf({ labels }: Effect): { readonly labels?: EffectLabels } {
  return labels === undefined || (Array.isArray(labels) && labels.length === 0) ? {} : { labels }
}

/** What whatever comes of an effect is made from, as far as its input and its target say so. */
export function declaredLabels({ run, effect, performer }: Request): readonly Label[] {
  return joinLabels(allLabels(effect.labels), performer.labels?.(effect, run))
}

/** A value as an outcome, with its labels where it has any. */
export function okOutcome(value: Json, labels: readonly Label[]): Ok<Json> {
  return labels.length === 0 ? { status: 'ok', value } : { status: 'ok', value, labels }
}
