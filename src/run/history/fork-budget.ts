import type { IntactEntry, NoteData, RunStartData } from '../../journal/index.ts'
import { checkAuthority, mandatesOver } from '../approvals/authority.ts'
import { budgetNote, checkWithinMandates, readBudgetChange } from '../inbox/budget-change.ts'
import type { ForkOptions } from './fork.ts'
import type { KernelHost } from '../kernel/host.ts'
import { LIMIT_NOTE, REFUSED_STEP_NOTE } from '../lifecycle/prior-interruptions.ts'

/**
 * The entries that a fork with another budget shares with a run that a limit ended: everything before the refusal by the limit. The refusal and what
 * followed from it is requested again. Calls that had started before it keep their outcomes, whenever they ended, so that none is made twice; only
 * repeatable calls that the time limit cut are started again. A run that ended for another reason is shared as a whole.
 */
export function beforeLimit(entries: readonly IntactEntry[]): readonly IntactEntry[] {
  const end = entries.findLast((entry) => entry.type === 'run-end')?.data
  if (end?.state !== 'failed') return entries
  const lastStart = entries.findLast(({ type }) => type === 'effect-start')?.seq ?? 0
  const refusals = entries.filter(isRefusal)
  // Several calls may have been refused in the same turn. Refusals of earlier turns are part of what the mind continued from.
  const cut =
    refusals.find(({ seq }) => seq > lastStart) ?? (end.error?.code === 'LIMIT_EXCEEDED' ? refusals.at(-1) : undefined)
  if (cut === undefined) return entries
  const refused = new Set(refusals.flatMap(({ seq, key }) => (seq >= cut.seq && key !== undefined ? [key] : [])))
  const begun = new Map<string, boolean>()
  for (const { type, key, seq, data } of entries)
    if (type === 'effect-start' && seq < cut.seq && !refused.has(key!)) begun.set(key!, data.repeatable)
  const isKept = (entry: IntactEntry): boolean => {
    const { key, seq, type, data } = entry
    if (key !== undefined && refused.has(key)) return false
    if (seq < cut.seq) return true
    if (key === undefined || !begun.has(key)) return false
    const isCut = type === 'effect-end' && data.outcome.status === 'cancelled'
    return !(isCut && begun.get(key) === true)
  }
  return entries.filter(isKept)
}

/** Whether a budget limit refused something here: an effect, a retry, a step, or further time. */
function isRefusal({ type, key, data }: IntactEntry): boolean {
  if (type === 'note' && key === undefined) return [LIMIT_NOTE, REFUSED_STEP_NOTE].includes(data.name)
  if (type !== 'effect-end') return false
  const { outcome } = data
  if (outcome.status === 'denied') return outcome.code === 'LIMIT_EXCEEDED' && outcome.rule.startsWith('budget/')
  return outcome.status === 'failed' && outcome.error.code === 'LIMIT_EXCEEDED'
}

/** An entry that a fork adds to the shared ones. */
export interface Note {
  readonly type: 'note'
  readonly data: NoteData
}

/** The entry that changes the budget. Throws unless the identity may change it. */
export function budgetNoteOf(
  host: KernelHost,
  { mind, name, sessionId }: RunStartData,
  { budget, identity = host.identity }: ForkOptions,
): Note | undefined {
  if (budget === undefined) return undefined
  checkAuthority(host, identity, 'approve', { mind, name, sessionId })
  const change = readBudgetChange(budget)
  checkWithinMandates(mandatesOver(host, { mind, name, sessionId }), change)
  return { type: 'note', data: budgetNote(change, identity) }
}
