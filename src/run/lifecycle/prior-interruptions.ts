import { MandateError } from '../../core/index.ts'
import type { LimitHit } from '../../gate/index.ts'
import { isErased } from '../../journal/index.ts'
import type { EffectDecideData, Entry } from '../../journal/index.ts'
import type { Provenance } from '../history/provenance.ts'

/** What earlier segments of a run left to be known that belongs to no effect. */
export interface Recalled {
  /** The run was cancelled or killed, and the process ended before it could say so in its last entry. */
  readonly takenDown: MandateError | undefined
  /** Steps that a limit refused, by their keys: a limit of a parent cannot be worked out again. */
  readonly refusedSteps: ReadonlyMap<string, LimitHit>
  /** The part of the run that was written elsewhere, and gives no authority here. */
  readonly foreign?: Provenance['foreign']
  readonly isImported?: boolean | undefined
}

/** The notes that take a run down: written when that begins, which may be long before the run has ended. */
export const CANCEL_NOTE = 'cancel-request'
export const LIMIT_NOTE = 'limit-reached'
export const REFUSED_STEP_NOTE = 'step-refused'

/** Reads it from the entries of a run that has not ended. */
export function recall(entries: readonly Entry[]): Recalled {
  let takenDown: MandateError | undefined
  const refusedSteps = new Map<string, LimitHit>()
  for (const entry of entries) {
    if (isErased(entry)) continue
    if (entry.type === 'effect-decide') takenDown ??= killedBy(entry.data)
    if (entry.type !== 'note' || entry.key !== undefined) continue
    const { name, value } = entry.data
    if (name === CANCEL_NOTE || name === LIMIT_NOTE) takenDown ??= cutBy(name, value as { readonly reason: string })
    if (name === REFUSED_STEP_NOTE) {
      const { key, hit } = value as unknown as { readonly key: string; readonly hit: LimitHit }
      refusedSteps.set(key, hit)
    }
  }
  return { takenDown, refusedSteps }
}

function killedBy({ decision }: EffectDecideData): MandateError | undefined {
  return decision.verdict === 'kill' ? killed(decision) : undefined
}

function cutBy(name: string, { reason }: { readonly reason: string }): MandateError {
  return new MandateError(name === CANCEL_NOTE ? 'CANCELLED' : 'LIMIT_EXCEEDED', reason)
}

/** The error of a run that the gate has ended. */
export function killed({ rule, reason }: { readonly rule: string; readonly reason: string }): MandateError {
  return new MandateError('KILLED', `Ended by ${rule}: ${reason}`)
}
