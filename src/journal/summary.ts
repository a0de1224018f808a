import { headOf } from './entry.ts'
import type { Entry, Head } from './entry.ts'
import type { MindKind, RunEndData, RunStartData, RunState, RunSuspendData, SuspendReason } from './entry-data.ts'

/** One line about a run, kept beside its entries so that lists need not read them. A fold like any other: it can be rebuilt. */
export interface RunSummary {
  readonly run: string
  readonly mind: MindKind
  readonly name: string
  readonly sessionId: string
  readonly parent?: string | undefined
  readonly state: RunState
  readonly suspendReason?: SuspendReason | undefined
  readonly wakeAt?: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
  readonly head: Head
  readonly erased: boolean
}

/** Folds one more entry into the line. The first entry of a run must be its `run-start`. */
export function foldSummary(summary: RunSummary | undefined, entry: Entry): RunSummary {
  const head = headOf(entry)
  if (summary === undefined) return startOf(entry, head)
  const next = { ...summary, updatedAt: entry.at, head }
  switch (entry.type) {
    case 'run-suspend': {
      const data = entry.data as unknown as RunSuspendData | null
      return { ...next, state: 'suspended', suspendReason: data?.reason, wakeAt: data?.wakeAt }
    }
    case 'run-resume':
      return { ...next, state: 'running', suspendReason: undefined, wakeAt: undefined }
    case 'run-end': {
      const data = entry.data as unknown as RunEndData | null
      return {
        ...next,
        state: data?.state ?? 'completed',
        suspendReason: undefined,
        wakeAt: undefined,
        erased: entry.salt === null,
      }
    }
    default:
      return next
  }
}

function startOf(entry: Entry, head: Head): RunSummary {
  const data = entry.data as unknown as RunStartData | null
  return {
    run: entry.run,
    mind: data?.mind ?? 'agent',
    name: data?.name ?? 'erased',
    sessionId: data?.sessionId ?? 'erased',
    parent: data?.parent?.run,
    state: 'running',
    createdAt: entry.at,
    updatedAt: entry.at,
    head,
    erased: entry.salt === null,
  }
}

/** A run in one of these states is over: no entry may follow. */
export function isEnded(state: RunState): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled'
}
