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

/** Options of resuming a run. */
export interface KernelResumeOptions {
  /** Limits that replace the recorded ones; those not named stay. Requires the permission to approve. */
  readonly budget?: BudgetLimits | undefined
  /** The identity that changes the budget; the host's when absent. */
  readonly identity?: Identity | undefined
}

export const RESUME_OPTIONS: FieldNames<KernelResumeOptions> = { budget: 'object', identity: 'object' }

/** Limits in their recorded form. `Infinity` removes a limit; leaving a limit out keeps it. */
export function readBudgetChange(given: BudgetLimits): BudgetLimits {
  budgetLimits(given)
  const named = Object.entries(given).filter(([, limit]) => limit !== undefined)
  const change = Object.fromEntries(
    named.map(([unit, limit]) => [unit, Math.min(limit as number, Number.MAX_SAFE_INTEGER)]),
  )
  if (named.length > 0) return change
  throw new MandateError('CONFIG_INVALID', '`budget` names no limit. Give one, such as { money: 5 }.')
}

/** Throws if a change exceeds a mandate of the run: only the run's own limits can be changed, so the change would have no effect. */
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

/** Throws if the budget of the run cannot be changed, with the reason. */
export function checkChangeable({ run, state }: RunSummary): void {
  if (!isEnded(state)) return
  throw new MandateError(
    'RUN_STATE',
    `Run "${run}" is ${state}, so it can no longer be changed. Use fork("${run}", { budget }) to continue from where it stopped with another budget.`,
  )
}

/** The limits of a run: its own as they were recorded last, and those of the current mandates where they are stricter. */
export function limitsOver(
  host: KernelHost,
  mind: Pick<Mind, 'mandate'>,
  parent: ActiveRun | undefined,
  { budget }: Pick<RunOutline, 'budget'>,
): BudgetLimits {
  return lowestLimits(budget, mind.mandate?.budget, parent === undefined ? host.mandate?.budget : undefined)
}

/** The note that records a budget change. */
export function budgetNote(budget: BudgetLimits, by: Identity): { readonly name: string; readonly value: Json } {
  return { name: BUDGET_NOTE, value: { budget, by } satisfies BudgetNote as unknown as Json }
}

/**
 * Applies a budget change from the inbox. Every writer of the store can put signals there, so one that is no valid budget or exceeds a mandate is
 * refused.
 */
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
