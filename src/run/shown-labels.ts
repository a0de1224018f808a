import { joinLabels } from '../core/index.ts'
import type { Label, Outcome } from '../core/index.ts'

/** What a mind has been told was made from: its input, and every outcome so far. It follows from the journal, like the mind itself. */
export class ShownLabels {
  #all: readonly Label[]

  constructor(given: readonly Label[] = []) {
    this.#all = given
  }

  /** The same list as long as nothing is added to it. */
  get all(): readonly Label[] {
    return this.#all
  }

  /** The mind is about to be told something that was made from these. */
  add(labels: readonly Label[] | undefined): void {
    if (labels?.some((label) => !this.#all.includes(label)) === true) this.#all = joinLabels(this.#all, labels)
  }

  /** The mind is about to be told an outcome. */
  tell(outcome: Outcome): void {
    if (outcome.status === 'ok' || outcome.status === 'failed') this.add(outcome.labels)
  }
}
