import { isEnded } from '../../journal/index.ts'
import type { Journal, PendingItem, Signal } from '../../journal/index.ts'

/** A suspended run, the runs below it that wait, and those in between. */
export async function treeOf(
  journal: Journal,
  root: string,
  pending: readonly PendingItem[],
): Promise<ReadonlySet<string>> {
  const tree = new Set([root])
  for (const { run } of pending) {
    for (let id = run; id !== undefined && !tree.has(id); id = (await journal.summary(id))?.parent) tree.add(id)
  }
  return tree
}

/** A run and those below it that are not over. */
export async function openTree(journal: Journal, root: string): Promise<readonly string[]> {
  const summary = await journal.summary(root)
  if (summary === undefined || isEnded(summary.state)) return []
  const below = await journal.list({ parent: root, state: ['running', 'suspended'], limit: Number.MAX_SAFE_INTEGER })
  const trees = await Promise.all(below.map(({ run }) => openTree(journal, run)))
  return [root, ...trees.flat()]
}

/** Whether a signal has arrived for any of these runs that should wake them. */
export async function isWanted(journal: Journal, runs: Iterable<string>): Promise<boolean> {
  for (const run of runs) if ((await journal.signals(run)).some(isWaking)) return true
  return false
}

/** Steering messages are read at the mind's next turn, so they do not wake the run. */
function isWaking({ type }: Signal): boolean {
  return type !== 'steer'
}
