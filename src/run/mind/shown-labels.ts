import { frozenList, joinLabels, matchesLabel } from '../../core/index.ts'
import type { Label, Outcome } from '../../core/index.ts'

/** The labels of what a mind has been shown: its input and every outcome so far. A function of the journal, like the mind itself. */
export class ShownLabels {
  /** Frozen, because minds and tools get this very list. */
  #all: readonly Label[]

  constructor(given: readonly Label[] = []) {
    this.#all = frozenList(given)
  }

  /** The same array until a label is added. */
  get all(): readonly Label[] {
    return this.#all
  }

  /** Adds the labels of data that is about to be shown to the mind. */
  add(labels: readonly Label[] | undefined): void {
    if (labels?.some((label) => !this.#all.includes(label)) === true)
      this.#all = frozenList(joinLabels(this.#all, labels))
  }

  /** Adds the labels of an outcome, unless it is withheld from the model. */
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
