import { allLabels, joinLabels } from '../../../core/index.ts'
import type { EffectLabels, Label, LabelMap, Outcome } from '../../../core/index.ts'
import type { VmRequest } from '../../port.ts'

/** Labels of a request in the form of the gate. The control-flow labels of the program apply to all its requests. */
export function effectLabels({ labels }: VmRequest, controlFlow: readonly Label[] = []): EffectLabels {
  const { pc = [], ...at } = labels
  const isLabelled = Object.keys(at).length > 0
  return { at, pc: joinLabels(pc, controlFlow), ...(isLabelled && { coversAbsent: true }) }
}

/** Labels of `{ name, input }` as those of the input alone; the labels of the name become control-flow labels. */
export function inputLabels(labels: EffectLabels): EffectLabels {
  if (Array.isArray(labels)) return labels
  const { at, ...rest } = labels as LabelMap
  const inner: Record<string, readonly Label[]> = {}
  let { pc } = rest
  for (const [place, own] of Object.entries(at)) {
    if (place === '/input' || place.startsWith('/input/')) inner[place.slice('/input'.length)] = own
    else {
      pc = joinLabels(pc, own)
      if (place === '') inner[''] = own
    }
  }
  return { ...rest, at: inner, pc }
}

/** Atoms that return values which other atoms of their kind stored, in any store. */
const STORING = /^(?:store|memo|cache)|Procedures?$|^runCode$|^agentRun$/

/** Labels of atom outcomes that carry none themselves: values from stores and caches, computed outside the machine, or by nested programs. */
export class OutcomeLabels {
  #kept: readonly Label[] = []

  /** Notes that a value with these labels was stored, so that later reads carry them. */
  noteStored(labels: readonly Label[]): void {
    this.#kept = joinLabels(this.#kept, labels)
  }

  outcome(name: string, labels: EffectLabels, outcome: Outcome): Outcome {
    if (outcome.status !== 'ok' && outcome.status !== 'failed') return outcome
    const all = allLabels(labels)
    const keeps = STORING.test(name)
    if (keeps) this.noteStored(all)
    const joined = joinLabels(outcome.labels, all, keeps ? this.#kept : undefined)
    return joined.length === 0 ? outcome : { ...outcome, labels: joined }
  }
}
