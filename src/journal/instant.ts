import type { Journal } from './journal.ts'

/** Counters that are read and written while they are called. */
export interface InstantCounters {
  sum(name: string, since: number): number
  add(name: string, at: number, amount: number): void
}

interface Declared {
  readonly counters: InstantCounters
  /** What the counters stand for: a journal in which these were replaced counts otherwise. */
  readonly sumCount: unknown
  readonly addCount: unknown
}

const counting = new WeakMap<object, Declared>()

/** Declares that the counters of a journal need not be waited for. */
export function declareCounters(journal: Journal, counters: InstantCounters): void {
  counting.set(journal, { counters, ...countsOf(journal) })
}

/** The counters of a journal that need not be waited for, where it has such. */
export function instantCounters(journal: Journal): InstantCounters | undefined {
  const declared = counting.get(journal)
  if (declared === undefined) return undefined
  const { sumCount, addCount } = countsOf(journal)
  return declared.sumCount === sumCount && declared.addCount === addCount ? declared.counters : undefined
}

function countsOf(journal: Journal): Omit<Declared, 'counters'> {
  return { sumCount: Reflect.get(journal, 'sumCount'), addCount: Reflect.get(journal, 'addCount') }
}

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
