import { isRecord } from '../core/index.ts'
import { isEnded, readStart } from '../journal/index.ts'
import type { Journal, RunSummary } from '../journal/index.ts'

/** A run with all runs below it. */
interface Tree {
  readonly top: RunSummary
  readonly runs: readonly RunSummary[]
}

/** What is kept or erased as a whole: the runs of one session, or one run that has no session with others. */
export interface RetainedSession {
  readonly id: string
  readonly trees: readonly Tree[]
  /** Whether none of its runs can continue. */
  readonly isEnded: boolean
  /** When the last of its runs changed. */
  readonly usedAt: number
}

/**
 * The sessions of a journal, newest first. A conversation, and the variables of cells, live as long as their last run, whatever the age of the first.
 * Programs have nothing of the runs before them, such as the occurrences of a schedule: where a session has nothing else, each is on its own.
 */
export function sessionsOf(all: readonly RunSummary[]): RetainedSession[] {
  const trees = treesOf(all)
  const shared = new Set(trees.filter(({ top }) => top.mind !== 'program').map(({ top }) => top.sessionId))
  const bySession = Map.groupBy(trees, ({ top }) => (shared.has(top.sessionId) ? `session ${top.sessionId}` : top.run))
  return [...bySession.values()].map((own) => {
    const runs = own.flatMap((tree) => tree.runs)
    return {
      id: own[0]!.top.sessionId,
      trees: own,
      isEnded: runs.every(({ state }) => isEnded(state)),
      usedAt: runs.reduce((last, { updatedAt }) => Math.max(last, updatedAt), 0),
    }
  })
}

/** Trees by their root run, newest root first. A run whose parent is not in the store is a root itself. */
function treesOf(all: readonly RunSummary[]): Tree[] {
  const byRun = new Map(all.map((summary) => [summary.run, summary]))
  const topOf = (summary: RunSummary): RunSummary => {
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
    return top
  }
  return [...Map.groupBy(all, topOf)]
    .map(([top, runs]) => ({ top, runs }))
    .toSorted((a, b) => b.top.createdAt - a.top.createdAt)
}

/**
 * The sessions from which others were forked, by the session that was: the variables of its cells lie in the journals of the original. The first cell of a
 * session names the cell that it continues.
 */
export async function originsOf(
  journal: Journal,
  sessions: readonly RetainedSession[],
): Promise<ReadonlyMap<RetainedSession, readonly RetainedSession[]>> {
  const byRun = new Map(sessions.flatMap((one) => one.trees.flatMap(({ runs }) => runs.map(({ run }) => [run, one]))))
  const origins = new Map<RetainedSession, RetainedSession[]>()
  for (const one of sessions) {
    const cells = one.trees.filter(({ top }) => top.mind === 'cell' && !top.erased)
    const beganAt = Math.min(...cells.map(({ top }) => top.createdAt))
    for (const { top } of cells.filter((cell) => cell.top.createdAt === beganAt)) {
      const origin = byRun.get(await baseOf(journal, top.run))
      if (origin !== undefined && origin !== one) origins.set(one, [...(origins.get(one) ?? []), origin])
    }
  }
  return origins
}

async function baseOf(journal: Journal, run: string): Promise<string> {
  try {
    const input = (await readStart(journal, run))?.input
    return isRecord(input) && typeof input['base'] === 'string' ? input['base'] : ''
  } catch {
    // A damaged cell cannot be continued, so it needs nothing.
    return ''
  }
}
