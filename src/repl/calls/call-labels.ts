import { allLabels, controlLabels, joinLabels } from '../../core/index.ts'
import type { EffectLabels, Label, LabelMap } from '../../core/index.ts'

/** The labels of a call as one set for all of its input: for effects whose input has another structure. */
export function mergedLabels(labels: EffectLabels | undefined): EffectLabels | undefined {
  return labels && { at: { '': allLabels(labels) }, pc: controlLabels(labels) }
}

/** The labels of one part of a call's input, for an effect that is given that part. The other parts led to it, so theirs are those of its control flow. */
export function partLabels(labels: EffectLabels | undefined, part: string): EffectLabels | undefined {
  if (labels === undefined || Array.isArray(labels)) return labels
  const map = labels as LabelMap
  const at: Record<string, LabelMap['at'][string]> = {}
  const pc = new Set(map.pc ?? [])
  for (const [place, own] of Object.entries(map.at)) {
    if (place === part || place.startsWith(`${part}/`)) at[place.slice(part.length)] = own
    else for (const label of own) pc.add(label)
    if (place === '') at[''] ??= own
  }
  return { ...map, at, pc: [...pc].sort() }
}

/** Labels of a call and of what else it is made from. */
export function withMore(labels: EffectLabels | undefined, more: readonly Label[]): EffectLabels | undefined {
  if (labels === undefined || more.length === 0) return labels
  return { at: { '': joinLabels(allLabels(labels), more) }, pc: controlLabels(labels) }
}
