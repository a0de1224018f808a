import type { Journal } from './journal.ts'

/** What an append gives back that was over before it returned: whoever knows it need not wait for it. */
export const STORED: Promise<void> = Promise.resolve()

/** By function, not by journal: one whose `append` was put in its place has to be waited for. */
const instant = new WeakSet<Journal['append']>()

/** Declares that this `append` either stores at once and gives `STORED`, or refuses. */
export function declareInstant(append: Journal['append']): void {
  instant.add(append)
}

/** Whether the journal stores entries while it is called, so that gathering them saves nothing. */
export function isInstant({ append }: Journal): boolean {
  return instant.has(append)
}
