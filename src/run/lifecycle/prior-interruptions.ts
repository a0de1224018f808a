import { MandateError } from '../../core/index.ts'
import type { LimitHit } from '../../gate/index.ts'
import { isErased } from '../../journal/index.ts'
import type { EffectDecideData, Entry } from '../../journal/index.ts'
import type { Provenance } from '../history/provenance.ts'

/** Facts of earlier segments that belong to no effect. */
export interface PriorInterruptions {
  /** The run was cancelled or killed, and the process ended before it wrote the last entry. */
  readonly takedown: MandateError | undefined
  /** Steps that a limit refused, by their keys: a parent's limit cannot be recomputed. */
  readonly refusedSteps: ReadonlyMap<string, LimitHit>
  /** The imported part of the run that has no authority here. */
  readonly foreign?: Provenance['foreign']
  readonly isImported?: boolean | undefined
}

/** The notes that record a cancellation when it begins, which may be long before the run ends. */
export const CANCEL_NOTE = 'cancel-request'
export const LIMIT_NOTE = 'limit-reached'
export const REFUSED_STEP_NOTE = 'step-refused'

/** Reads these facts from the entries of a run that has not ended. */
export function priorInterruptions(entries: readonly Entry[]): PriorInterruptions {
  let takedown: MandateError | undefined
  const refusedSteps = new Map<string, LimitHit>()
  for (const entry of entries) {
    if (isErased(entry)) continue
    if (entry.type === 'effect-decide') takedown ??= killedBy(entry.data)
    if (entry.type !== 'note' || entry.key !== undefined) continue
    const { name, value } = entry.data
    if (name === CANCEL_NOTE || name === LIMIT_NOTE) takedown ??= cutBy(name, value as { readonly reason: string })
    if (name === REFUSED_STEP_NOTE) {
      const { key, hit } = value as unknown as { readonly key: string; readonly hit: LimitHit }
      refusedSteps.set(key, hit)
    }
  }
  return { takedown, refusedSteps }
}

function killedBy({ decision }: EffectDecideData): MandateError | undefined {
  return decision.verdict === 'kill' ? killed(decision) : undefined
}

function cutBy(name: string, { reason }: { readonly reason: string }): MandateError {
  return new MandateError(name === CANCEL_NOTE ? 'CANCELLED' : 'LIMIT_EXCEEDED', reason)
}

/** The error of a run that the gate has killed. */
export function killed({ rule, reason }: { readonly rule: string; readonly reason: string }): MandateError {
  return new MandateError('KILLED', `Ended by ${rule}: ${reason}`)
}
