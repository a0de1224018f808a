import { MandateError } from '../core/index.ts'
import { isEnded } from '../journal/index.ts'
import type { Journal, RunSummary } from '../journal/index.ts'

export interface RetainOptions {
  /** Erases runs that ended longer ago than this. */
  readonly olderThanMs?: number | undefined
  /** Erases all but this many of the newest runs. */
  readonly keepRuns?: number | undefined
  readonly now: number
}

export interface RetainReport {
  /** The runs that were erased, child runs included. */
  readonly runs: readonly string[]
  /** How many entries lost their content. */
  readonly entries: number
}

/**
 * Erases what ended runs said, by age, by number, or both; what is over either limit goes. Rows and hashes stay, so every chain can still be
 * verified. Child runs stay and go with the run at the top of their tree: a replay of it would read them.
 *
 * @example
 * ```ts
 * import { sqliteJournal, retain } from 'mandate/sqlite'
 * const journal = sqliteJournal({ path: 'journal.db' })
 * await retain(journal, { olderThanMs: 30 * 24 * 3_600_000, now: 1_760_000_000_000 })
 * ```
 */
export async function retain(journal: Journal, options: RetainOptions): Promise<RetainReport> {
  const { olderThanMs = Infinity, keepRuns = Infinity, now } = options
  if (!(olderThanMs >= 0) || !(keepRuns >= 0) || (olderThanMs === Infinity && keepRuns === Infinity)) {
    throw new MandateError('CONFIG_INVALID', 'Retention needs `olderThanMs` or `keepRuns`, each a number from 0 up.')
  }
  const all = await journal.list({ limit: Infinity })
  const trees = groupByTop(all)
  const tops = [...trees.keys()].filter((top) => trees.get(top)!.every((summary) => isEnded(summary.state)))
  const doomed = tops.filter((top, index) => index >= keepRuns || now - latest(trees.get(top)!) > olderThanMs)
  const runs: string[] = []
  let entries = 0
  for (const { run } of doomed.flatMap((top) => trees.get(top)!.filter((summary) => !summary.erased))) {
    entries += await journal.erase(run)
    runs.push(run)
  }
  return { runs, entries }
}

/** Trees by the run at their top, newest top first. A run whose parent is not in the store is a top itself. */
function groupByTop(all: readonly RunSummary[]): Map<string, RunSummary[]> {
  const byRun = new Map(all.map((summary) => [summary.run, summary]))
  const topOf = (summary: RunSummary): string => {
    const seen = new Set([summary])
    let top = summary
    for (
      let above = byRun.get(top.parent ?? '');
      above !== undefined && !seen.has(above);
      above = byRun.get(top.parent ?? '')
    ) {
      seen.add(above)
      top = above
    }
    return top.run
  }
  return new Map([...Map.groupBy(all, topOf)].toSorted(([a], [b]) => byRun.get(b)!.createdAt - byRun.get(a)!.createdAt))
}

function latest(tree: readonly RunSummary[]): number {
  return tree.reduce((last, summary) => Math.max(last, summary.updatedAt), 0)
}
