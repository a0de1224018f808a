import { MandateError } from '../../core/index.ts'
import type { RunFilter, Signal } from '../journal.ts'
import { page } from '../lists/run-page.ts'
import type { StoredEntries } from './stored-entries.ts'
import { isEnded } from '../summary.ts'
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
