import type { ListOrder, ListPlace, RunFilter } from '../journal.ts'
import { listedAt } from '../summary.ts'
import type { RunSummary } from '../summary.ts'

/** The page of a list that a filter asks for, of summaries in any order. */
export function page(summaries: readonly RunSummary[], filter: RunFilter): RunSummary[] {
  const place = (summary: RunSummary): ListPlace => ({ at: listedAt(summary, filter.order), run: summary.run })
  return summaries
    .filter((summary) => matches(summary, filter))
    .filter((summary) => filter.after === undefined || compare(place(summary), filter.after, filter.order) > 0)
    .sort((a, b) => compare(place(a), place(b), filter.order))
    .slice(0, filter.limit ?? 1000)
}

/** Newest first, or soonest first; runs of the same time by their ids, in the same direction. */
function compare(a: ListPlace, b: ListPlace, order: ListOrder = 'newest'): number {
  const rising = a.at - b.at || (a.run < b.run ? -1 : a.run > b.run ? 1 : 0)
  return order === 'newest' ? -rising : rising
}

/** Whether a summary matches a filter: used by stores that filter in JavaScript, and the reference for those that do not. */
export function matches(summary: RunSummary, filter: RunFilter): boolean {
  const states = filter.state === undefined ? undefined : [filter.state].flat()
  return (
    (states === undefined || states.includes(summary.state)) &&
    (filter.sessionId === undefined || summary.sessionId === filter.sessionId) &&
    (filter.name === undefined || summary.name === filter.name) &&
    (filter.parent === undefined || (summary.parent ?? null) === filter.parent) &&
    (filter.runPrefix === undefined || summary.run.startsWith(filter.runPrefix)) &&
    ((filter.waiting !== true && filter.order !== 'waiting') || summary.waiting !== undefined) &&
    (filter.order !== 'wake' || (summary.state === 'suspended' && summary.wakeAt !== undefined)) &&
    (filter.updatedBefore === undefined || summary.updatedAt < filter.updatedBefore) &&
    (filter.wakeBefore === undefined ||
      (summary.state === 'suspended' && summary.wakeAt !== undefined && summary.wakeAt <= filter.wakeBefore))
  )
}
