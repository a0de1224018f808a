import { allLabels, controlLabels, joinLabels } from '../../core/index.ts'
import type { EffectLabels, Label, LabelMap } from '../../core/index.ts'

/** Merges the labels of a call into one set for its whole input. For effects whose input has a different structure. */
export function mergedLabels(labels: EffectLabels | undefined): EffectLabels | undefined {
  return labels && { at: { '': allLabels(labels) }, pc: controlLabels(labels) }
}

/**
 * Returns the labels of one part of a call's input, for an effect that receives only that part. Because the other parts led to the effect, their labels
 * become control-flow labels (`pc`).
 */
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

/** Adds further labels to those of a call. */
export function withMore(labels: EffectLabels | undefined, more: readonly Label[]): EffectLabels | undefined {
  if (labels === undefined || more.length === 0) return labels
  return { at: { '': joinLabels(allLabels(labels), more) }, pc: controlLabels(labels) }
}
