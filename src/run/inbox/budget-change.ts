import { MandateError, budgetLimits } from '../../core/index.ts'
import type { BudgetLimits, BudgetUnit, FieldNames, Json } from '../../core/index.ts'
import { lowestLimits } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { BUDGET_NOTE, isEnded } from '../../journal/index.ts'
import type { BudgetNote, Identity, RunOutline, RunSummary, Signal } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { Mind } from '../mind/mind.ts'
import { watchTime } from '../lifecycle/time-watch.ts'

/** What can be chosen for a run that exists already. */
export interface KernelResumeOptions {
  /** Limits that shall hold instead of the recorded ones; those that are not named stay. It takes the right to approve. */
  readonly budget?: BudgetLimits | undefined
  /** Who changes the budget; the host when absent. */
  readonly identity?: Identity | undefined
}

export const RESUME_OPTIONS: FieldNames<KernelResumeOptions> = { budget: true, identity: true }

/** Limits as they are recorded. No limit at all is a number too: leaving one out leaves it as it is. */
export function readBudgetChange(given: BudgetLimits): BudgetLimits {
  budgetLimits(given)
  const named = Object.entries(given).filter(([, limit]) => limit !== undefined)
  const change = Object.fromEntries(
    named.map(([unit, limit]) => [unit, Math.min(limit as number, Number.MAX_SAFE_INTEGER)]),
  )
  if (named.length > 0) return change
  throw new MandateError('CONFIG_INVALID', '`budget` names no limit. Give one, such as { money: 5 }.')
}

/** A run's own limits can be changed; those of the mandates over it can not, so more than they allow is refused instead of having no effect. */
export function checkWithinMandates(mandates: readonly Mandate[], change: BudgetLimits): void {
  const allowed = lowestLimits(...mandates.map(({ budget }) => budget))
  for (const [unit, limit] of Object.entries(change)) {
    const most = allowed[unit as BudgetUnit]
    if (most !== undefined && limit! > most)
      throw new MandateError(
        'DENIED',
        `\`budget.${unit}\` cannot be ${limit}: a mandate over this run limits it to ${most}. Change that mandate, or give at most ${most}.`,
      )
  }
}

/** Why a run cannot get another budget, where it cannot. */
export function checkChangeable({ run, state }: RunSummary): void {
  if (!isEnded(state)) return
  throw new MandateError(
    'RUN_STATE',
    `Run "${run}" is ${state}, and what is over stays as it is. Use fork("${run}", { budget }) to go on from where it stopped with another budget.`,
  )
}

/** What holds over a run: its own limits as they were recorded last, and those of today's mandates where they are stricter. */
export function limitsOver(
  host: KernelHost,
  mind: Pick<Mind, 'mandate'>,
  parent: ActiveRun | undefined,
  { budget }: Pick<RunOutline, 'budget'>,
): BudgetLimits {
  return lowestLimits(budget, mind.mandate?.budget, parent === undefined ? host.mandate?.budget : undefined)
}

/** The note that records a change. */
export function budgetNote(budget: BudgetLimits, by: Identity): { readonly name: string; readonly value: Json } {
  return { name: BUDGET_NOTE, value: { budget, by } satisfies BudgetNote as unknown as Json }
}

/** Takes a change that was found in the inbox, where anyone can put anything: what is no budget, or more than a mandate allows, is refused. */
export function changeBudget(run: ActiveRun, { id, by, data }: Signal): void {
  const note = (name: string, value: Json): void => void run.writer.add('note', undefined, { name, value }, [id])
  let change: BudgetLimits
  try {
    change = readBudgetChange((data ?? {}) as BudgetLimits)
    checkWithinMandates(run.mandates, change)
  } catch (error) {
    const reason = MandateError.isInstance(error) ? error.message : 'It is no budget.'
    run.pendingEntries.hold(() => note('budget-refused', { reason }))
    return
  }
  run.pendingEntries.hold(() => {
    const { name, value } = budgetNote(change, by)
    note(name, value)
    run.budget.setLimits(limitsOver(run.host, run.mind, run.parent, run.fold))
    if (run.budget.isLimited('timeMs')) watchTime(run)
  })
}
