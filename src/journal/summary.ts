import { headOf, isErased } from './entry.ts'
import type { Entry, Head } from './entry.ts'
import type { SignedHead } from './signatures/head-signature.ts'
import type { ListOrder } from './journal.ts'
import type { ApprovalRequestData, MindKind, RunStartData, RunState, SuspendReason } from './entry-data.ts'

/** The summary of a run, stored beside its entries so that lists need not read them. A fold like any other: it can be rebuilt. */
export interface RunSummary {
  readonly run: string
  readonly mind: MindKind
  readonly name: string
  readonly sessionId: string
  readonly parent?: string | undefined
  readonly state: RunState
  readonly suspendReason?: SuspendReason | undefined
  readonly wakeAt?: number | undefined
  readonly priority?: RunStartData['priority']
  readonly createdAt: number
  readonly updatedAt: number
  readonly head: Head
  readonly erased: boolean
  /** Its open questions, oldest first; absent if there are none. */
  readonly waiting?: readonly WaitingRequest[] | undefined
  /** The part of it that was imported from elsewhere. */
  readonly imported?: ImportMark | undefined
  /** What is known to be wrong with its journal, and what to do. Absent if nothing is known, which only `verify` proves. */
  readonly damage?: string | undefined
}

/** An open question to a person: the number of its entry, its time and its reason. The question itself is only in the entry. */
interface WaitingRequest {
  readonly seq: number
  readonly at: number
  readonly reason: ApprovalRequestData['reason']
}

/** Marks entries as imported from another store: evidence of what was done there, without authority here. */
export interface ImportMark {
  /** The first imported entry. */
  readonly from: number
  /** The last of the entries that were imported. */
  readonly to: number
  /** The signed head at the end of the export, if there was one. Consumers verify it with their own trusted keys. */
  readonly signed?: SignedHead | undefined
}

/** Joins the marks of two imports into one run: everything from the first imported entry to the last counts as imported. */
export function joinMarks(earlier: ImportMark | undefined, later: ImportMark): ImportMark {
  return earlier === undefined ? later : { ...later, from: Math.min(earlier.from, later.from) }
}

/** Folds one more entry into the summary. The first entry of a run must be its `run-start`. */
export function foldSummary(summary: RunSummary | undefined, entry: Entry): RunSummary {
  const head = headOf(entry)
  if (summary === undefined) return startOf(entry, head)
  const next = { ...summary, updatedAt: entry.at, head }
  switch (entry.type) {
    case 'run-suspend':
      return { ...next, state: 'suspended', suspendReason: entry.data?.reason, wakeAt: entry.data?.wakeAt }
    case 'approval-request': {
      const asked: WaitingRequest = { seq: entry.seq, at: entry.at, reason: entry.data?.reason ?? 'approval' }
      return { ...next, waiting: [...(next.waiting ?? []), asked] }
    }
    case 'approval-response':
      return answered(next, entry.data?.request)
    case 'run-resume':
      return { ...next, state: 'running', suspendReason: undefined, wakeAt: undefined }
    case 'run-end':
      return {
        ...next,
        state: entry.data?.state ?? 'completed',
        suspendReason: undefined,
        wakeAt: undefined,
        waiting: undefined,
        erased: isErased(entry),
      }
    default:
      return next
  }
}

function answered(summary: RunSummary, request: number | undefined): RunSummary {
  const left = summary.waiting?.filter(({ seq }) => seq !== request) ?? []
  return { ...summary, waiting: left.length === 0 ? undefined : left }
}

/** The time by which a list in that order is sorted. */
export function listedAt(summary: RunSummary, order: ListOrder = 'newest'): number {
  if (order === 'waiting') return summary.waiting?.[0]?.at ?? Number.MAX_SAFE_INTEGER
  return order === 'wake' ? (summary.wakeAt ?? Number.MAX_SAFE_INTEGER) : summary.createdAt
}

function startOf(entry: Entry, head: Head): RunSummary {
  const data = entry.type === 'run-start' ? entry.data : null
  return {
    run: entry.run,
    mind: data?.mind ?? 'agent',
    name: data?.name ?? 'erased',
    sessionId: data?.sessionId ?? 'erased',
    parent: data?.parent?.run,
    state: 'running',
    ...(data?.priority === undefined ? {} : { priority: data.priority }),
    // The first entry of a fork is a copy with the time of the original run.
    createdAt: data?.forkOf?.at ?? entry.at,
    updatedAt: entry.at,
    head,
    erased: isErased(entry),
  }
}

/** Whether a run in this state is over: no entry may follow. */
export function isEnded(state: RunState): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled'
}

/** Whether an append has changed the summary in more than the head and the time. */
export function saysMore(before: RunSummary | undefined, after: RunSummary): boolean {
  return (
    before?.state !== after.state ||
    before.suspendReason !== after.suspendReason ||
    before.wakeAt !== after.wakeAt ||
    before.imported !== after.imported ||
    before.waiting !== after.waiting
  )
}
