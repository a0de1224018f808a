import { frozenList, joinLabels, matchesLabel } from '../../core/index.ts'
import type { Label, Outcome } from '../../core/index.ts'

/** What a mind has been told was made from: its input, and every outcome so far. It follows from the journal, like the mind itself. */
export class ShownLabels {
  /** Frozen, because minds and tools are given the list itself. */
  #all: readonly Label[]

  constructor(given: readonly Label[] = []) {
    this.#all = frozenList(given)
  }

  /** The same list as long as nothing is added to it. */
  get all(): readonly Label[] {
    return this.#all
  }

  /** The mind is about to be told something that was made from these. */
  add(labels: readonly Label[] | undefined): void {
    if (labels?.some((label) => !this.#all.includes(label)) === true)
      this.#all = frozenList(joinLabels(this.#all, labels))
  }

  /** The mind is about to be told an outcome, which it may keep to itself. */
  tell(outcome: Outcome, mayWithhold: boolean | undefined): void {
    if (mayWithhold === true && isWithheld(outcome)) return
    if (outcome.status === 'ok' || outcome.status === 'failed') this.add(outcome.labels)
  }
}

/** Whether the outcome of an effect with `hidden` results carries an untrusted label and is withheld from the mind. */
export function isWithheld(outcome: Outcome): boolean {
  if (outcome.status !== 'ok' && outcome.status !== 'failed') return false
  return outcome.labels?.some((label) => matchesLabel('untrusted:*', label)) === true
}
