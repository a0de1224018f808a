import { MandateError } from '../core/index.ts'
import { GENESIS, checkEntry, headOf } from './entry.ts'
import type { Entry, Head } from './entry.ts'
import { foldSummary, isEnded } from './summary.ts'
import type { RunSummary } from './summary.ts'

export interface AppendPlan {
  /** What is not there yet. */
  readonly fresh: readonly Entry[]
  readonly summary: RunSummary
}

/**
 * Decides an append, for every store alike: what must be written and how the run's summary changes; or why it must not be written.
 * `hashAt` gives the hash of an entry that is already stored.
 */
export function planAppend(
  stored: RunSummary | undefined,
  expectedSeq: number,
  entries: readonly Entry[],
  hashAt: (seq: number) => string | undefined,
): AppendPlan {
  const head = stored?.head ?? GENESIS
  const known = head.seq - expectedSeq
  if (known < 0 || known > entries.length) throw conflict(entries, expectedSeq, head)
  for (const entry of entries.slice(0, known)) {
    if (hashAt(entry.seq) !== entry.hash) throw conflict(entries, expectedSeq, head)
  }
  const fresh = entries.slice(known)
  return { fresh, summary: checkChain(stored, head, fresh) }
}

function checkChain(stored: RunSummary | undefined, head: Head, fresh: readonly Entry[]): RunSummary {
  let summary = stored
  let last = head
  for (const entry of fresh) {
    if (summary !== undefined && isEnded(summary.state)) {
      throw new MandateError('RUN_STATE', `Run "${entry.run}" has ended (${summary.state}); nothing can be added to it. Fork it to go on from there.`)
    }
    checkEntry(entry, last, entry.run)
    if (summary === undefined && entry.type !== 'run-start') {
      throw new MandateError('JOURNAL_CONFLICT', `The first entry of run "${entry.run}" must be its run-start, not ${entry.type}.`)
    }
    summary = foldSummary(summary, entry)
    last = headOf(entry)
  }
  if (summary === undefined) throw new MandateError('JOURNAL_CONFLICT', 'An append must hold at least one entry.')
  return summary
}

function conflict(entries: readonly Entry[], expectedSeq: number, head: Head): MandateError {
  const run = entries[0]?.run ?? 'unknown'
  return new MandateError(
    'JOURNAL_CONFLICT',
    `Run "${run}" stands at entry ${head.seq}, but the writer expected ${expectedSeq}. Someone else has written it: read it again before writing.`,
    { info: { run, expectedSeq, storedSeq: head.seq } },
  )
}
