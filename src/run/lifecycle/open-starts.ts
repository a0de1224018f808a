import { addSpend, foldRun, readAll } from '../../journal/index.ts'
import type { Journal, RunFold, Spend } from '../../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import { childId } from '../nested/child-id.ts'

/** Claims budget for the effects that an earlier process had in flight, until their outcomes are known. */
export async function claimOpenStarts(run: ActiveRun): Promise<void> {
  const { fold, budget, host, parent } = run
  const children = new Map<string, Spend>()
  for (const key of fold.openStarts) {
    if (!isDrawing(fold, key)) continue
    const child = await standingOf(host.journal, childId(run.id, key))
    children.set(key, child.spent)
    // The run was active while the child was driven, even if no entry of its own shows it.
    const began = fold.effects.get(key)!.start!.data.activeMs
    if (began !== undefined) run.time.before = Math.max(run.time.before, began + child.activeMs)
  }
  budget.add(fold.spent)
  for (const key of fold.openStarts)
    run.reservations.set(key, budget.claim(children.get(key) ?? fold.effects.get(key)!.start!.data.reserved))
  // The child replaces the reservation that its parent held for it, in the same synchronous step.
  const held = parent?.reservations.get(fold.start!.parent!.key)
  if (held !== undefined && fold.start!.allotted !== true) parent!.budget.settle(held, {})
}

/** Whether a started effect is a child run that draws on its parent's budget. */
function isDrawing(fold: RunFold, key: string): boolean {
  const { kind, reserved } = fold.effects.get(key)!.start!.data
  const isChild = kind === 'agent' || kind === 'program' || kind === 'cell' || kind === 'graph'
  return isChild && Object.keys(reserved).length === 0
}

interface Standing {
  readonly spent: Spend
  readonly activeMs: number
}

/** The spend and time of a run and those below it, from their journals. */
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

/** The spend of the child under a key so far, from its own journal. */
export async function spentBy(journal: Journal, parent: string, key: string): Promise<Spend> {
  return (await standingOf(journal, childId(parent, key))).spent
}
