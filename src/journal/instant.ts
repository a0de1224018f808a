import type { Journal } from './journal.ts'

/** What an append gives back that was over before it returned: whoever knows it need not wait for it. */
export const STORED: Promise<void> = Promise.resolve()

/** The functions, not the journals: one whose `append` was put in its place has to be waited for. */
const instant = new WeakSet<object>()

/** Declares that the `append` of these journals either stores at once and gives `STORED`, or refuses. */
export function declareInstant(journals: Pick<Journal, 'append'>): void {
  instant.add(appendOf(journals))
}

/** Whether the journal stores entries while it is called, so that gathering them saves nothing. */
export function isInstant(journal: Journal): boolean {
  return instant.has(appendOf(journal))
}

function appendOf(journal: Pick<Journal, 'append'>): object {
  return Reflect.get(journal, 'append')
}
