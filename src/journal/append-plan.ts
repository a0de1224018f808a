import { MandateError } from '../core/index.ts'
import { GENESIS, checkPlace } from './entry.ts'
import type { Entry, Head } from './entry.ts'
import { foldSummary, isEnded, joinMarks } from './summary.ts'
import type { ImportMark, RunSummary } from './summary.ts'
import { checkVersion } from './versions.ts'

/** What a store has of the run that is appended to. */
interface StoredRun {
  readonly run: string
  readonly summary: RunSummary | undefined
  /** The hash of an entry that is already stored. */
  hashAt(seq: number): string | undefined
  /** The origin of the appended entries, if they were imported. */
  readonly imports?: ImportMark | undefined
}

interface AppendPlan {
  /** The entries that are not stored yet. */
  readonly fresh: readonly Entry[]
  readonly summary: RunSummary
}

/** Plans an append, for all stores: which entries to write and the new summary of the run, or the error that refuses them. */
export function planAppend(stored: StoredRun, expectedSeq: number, entries: readonly Entry[]): AppendPlan {
  const head = stored.summary?.head ?? GENESIS
  const known = head.seq - expectedSeq
  if (!(known >= 0)) throw conflict(stored.run, expectedSeq, head)
  for (let i = 0; i < known && i < entries.length; i++) {
    const { seq, hash } = entries[i]!
    if (stored.hashAt(seq) !== hash) throw conflict(stored.run, expectedSeq, head)
  }
  const fresh = known === 0 ? entries : entries.slice(known)
  const summary = checkChain(stored, head, fresh)
  if (stored.imports === undefined || fresh.length === 0) return { fresh, summary }
  return { fresh, summary: { ...summary, imported: joinMarks(summary.imported, stored.imports) } }
}

function checkChain({ run, summary: stored }: StoredRun, head: Head, fresh: readonly Entry[]): RunSummary {
  let summary = stored
  let last: Head = head
  for (const entry of fresh) {
    if (summary !== undefined && isEnded(summary.state)) {
      throw new MandateError(
        'RUN_STATE',
        `Run "${run}" has ended (${summary.state}); nothing can be added to it. Fork it to go on from there.`,
      )
    }
    checkVersion(entry)
    checkPlace(entry, last, run)
    if (summary === undefined && entry.type !== 'run-start') {
      throw new MandateError(
        'JOURNAL_CONFLICT',
        `The first entry of run "${run}" must be its run-start, not ${entry.type}.`,
      )
    }
    summary = foldSummary(summary, entry)
    last = entry
  }
  if (summary === undefined) throw new MandateError('JOURNAL_CONFLICT', 'An append must hold at least one entry.')
  return summary
}

function conflict(run: string, expectedSeq: number, head: Head): MandateError {
  return new MandateError(
    'JOURNAL_CONFLICT',
    `Run "${run}" stands at entry ${head.seq}, but the writer expected ${expectedSeq}. Someone else has written it: read it again before writing.`,
    { info: { run, expectedSeq, storedSeq: head.seq } },
  )
}
