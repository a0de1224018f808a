import { addSpend, foldRun, readAll } from '../../journal/index.ts'
import type { Journal, RunFold, Spend } from '../../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import { childId } from '../nested/child-id.ts'

/** What an earlier process had in flight stays counted until it is known how it ended. */
export async function claimOpenStarts(run: ActiveRun): Promise<void> {
  const { fold, budget, host, parent } = run
  const children = new Map<string, Spend>()
  for (const key of fold.openStarts) {
    if (!isDrawing(fold, key)) continue
    const child = await standingOf(host.journal, childId(run.id, key))
    children.set(key, child.spent)
    // While a child was driven, so was this run, whether or not an entry of its own says it.
    const began = fold.effects.get(key)!.start!.data.activeMs
    if (began !== undefined) run.time.before = Math.max(run.time.before, began + child.activeMs)
  }
  budget.add(fold.spent)
  for (const key of fold.openStarts)
    run.reservations.set(key, budget.claim(children.get(key) ?? fold.effects.get(key)!.start!.data.reserved))
  // Until now its parent held what it knew of this run; from here on the run counts for itself, in the same moment.
  const held = parent?.reservations.get(fold.start!.parent!.key)
  if (held !== undefined && fold.start!.allotted !== true) parent!.budget.settle(held, {})
}

/** Whether an effect that has started is a child run which draws on its parent's budget. */
function isDrawing(fold: RunFold, key: string): boolean {
  const { kind, reserved } = fold.effects.get(key)!.start!.data
  const isChild = kind === 'agent' || kind === 'program' || kind === 'cell' || kind === 'graph'
  return isChild && Object.keys(reserved).length === 0
}

interface Standing {
  readonly spent: Spend
  readonly activeMs: number
}

/** How far a run and those below it have come, by their journals. */
async function standingOf(journal: Journal, id: string): Promise<Standing> {
  const fold = foldRun(await readAll(journal, id))
  if (fold.end !== undefined) return fold.end
  let spent = addSpend(fold.spent, fold.suspend?.spent ?? {})
  for (const key of fold.openStarts) {
    const open = isDrawing(fold, key) ? (await standingOf(journal, childId(id, key))).spent : reservedOf(fold, key)
    spent = addSpend(spent, open)
  }
  return { spent, activeMs: fold.activeMs }
}

function reservedOf(fold: RunFold, key: string): Spend {
  return fold.effects.get(key)!.start!.data.reserved
}

/** What the child under a key has spent so far, by its own journal. */
export async function spentBy(journal: Journal, parent: string, key: string): Promise<Spend> {
  return (await standingOf(journal, childId(parent, key))).spent
}
