import type { Counts } from '../../gate/index.ts'
import type { Journal } from '../../journal/index.ts'
import { storeBehind } from '../kernel/bounded-store.ts'

/** One queue per journal: check and increment are atomic, also when several kernels of this process share a store. */
const lines = new WeakMap<Journal, { counts: Counts; last: Promise<unknown> }>()

/** The line of a journal. */
export function lineOf(journal: Journal): { counts: Counts; last: Promise<unknown> } {
  const store = storeBehind(journal)
  let line = lines.get(store)
  if (line === undefined)
    lines.set(
      store,
      (line = {
        counts: { sum: (name, since) => journal.sumCount(name, since) },
        last: Promise.resolve(),
      }),
    )
  return line
}

/** What rate limits are counted with: counters of the journal, which outlive runs and processes. */
export function countsOf(journal: Journal): Counts {
  return lineOf(journal).counts
}
