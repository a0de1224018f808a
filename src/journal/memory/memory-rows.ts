import { MandateError } from '../../core/index.ts'
import type { ListOrder, ListPlace, RunFilter, Signal } from '../journal.ts'
import type { StoredEntries } from './stored-entries.ts'
import { isEnded, listedAt } from '../summary.ts'
import type { RunSummary } from '../summary.ts'

/** The data of one run in an in-memory journal. */
export interface Row {
  readonly run: string
  readonly entries: StoredEntries
  summary: RunSummary | undefined
  epoch: number
  owner: string | undefined
  until: number
  /** Created with the first signal: most runs never get one. */
  inbox: { readonly signals: Map<string, Signal>; readonly consumed: Set<string> } | undefined
}

/** The runs that match a filter, in its order. */
export function listed(rows: Iterable<Row>, filter: RunFilter): readonly RunSummary[] {
  return page(
    [...rows].flatMap(({ summary }) => summary ?? []),
    filter,
  )
}

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

/** Erases the data of a run's entries and keeps their hashes. */
export function eraseRow(run: string, row: Row | undefined): number {
  if (row?.summary === undefined) throw new MandateError('NOT_FOUND', `There is no run "${run}" to erase.`)
  if (!isEnded(row.summary.state)) throw notEnded(run, row.summary.state)
  row.entries.erase()
  row.summary = { ...row.summary, erased: true }
  for (const id of row.inbox?.signals.keys() ?? []) row.inbox!.consumed.add(id)
  row.inbox?.signals.clear()
  return row.entries.length
}

/** The error of every store for erasing a run that could still continue. */
export function notEnded(run: string, state: string): MandateError {
  return new MandateError('RUN_STATE', `Run "${run}" is ${state}; only ended runs can be erased. Cancel it first.`)
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
