import type { IntactEntry, NoteData, RunStartData } from '../../journal/index.ts'
import { checkAuthority, mandatesOver } from '../approvals/authority.ts'
import { budgetNote, checkWithinMandates, readBudgetChange } from '../inbox/budget-change.ts'
import type { ForkOptions } from './fork.ts'
import type { KernelHost } from '../kernel/host.ts'
import { LIMIT_NOTE, REFUSED_STEP_NOTE } from '../lifecycle/prior-interruptions.ts'

/**
 * What a fork with another budget shares of a run that a limit ended: everything up to the refusal by the limit. That, and what followed from it, is
 * asked anew. Calls that had begun before keep their outcomes, whenever they ended, so that none is made twice; only those that may be repeated and
 * were cut by the limit on time are begun again. A run that ended otherwise is shared as a whole.
 */
export function beforeLimit(entries: readonly IntactEntry[]): readonly IntactEntry[] {
  const end = entries.findLast((entry) => entry.type === 'run-end')?.data
  if (end?.state !== 'failed') return entries
  const lastStart = entries.findLast(({ type }) => type === 'effect-start')?.seq ?? 0
  const refusals = entries.filter(isRefusal)
  // Several calls may have been refused at once; those of earlier turns are part of what the mind went on from.
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

/** Where a limit of the budget refused something: an effect, another attempt at one, a step, or the time that was up. */
function isRefusal({ type, key, data }: IntactEntry): boolean {
  if (type === 'note' && key === undefined) return [LIMIT_NOTE, REFUSED_STEP_NOTE].includes(data.name)
  if (type !== 'effect-end') return false
  const { outcome } = data
  if (outcome.status === 'denied') return outcome.code === 'LIMIT_EXCEEDED' && outcome.rule.startsWith('budget/')
  return outcome.status === 'failed' && outcome.error.code === 'LIMIT_EXCEEDED'
}

/** An entry that a fork adds to what it shares. */
export interface Note {
  readonly type: 'note'
  readonly data: NoteData
}

/** The entry that changes the budget, if the identity may change it. */
export function budgetNoteOf(
  host: KernelHost,
  { mind, name }: RunStartData,
  { budget, identity = host.identity }: ForkOptions,
): Note | undefined {
  if (budget === undefined) return undefined
  checkAuthority(host, identity, 'approve', { mind, name })
  const change = readBudgetChange(budget)
  checkWithinMandates(mandatesOver(host, { mind, name }), change)
  return { type: 'note', data: budgetNote(change, identity) }
}
