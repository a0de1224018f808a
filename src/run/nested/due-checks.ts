import type { DriftCheck } from '../../gate/index.ts'
import type { Delivery, RunFold } from '../../journal/index.ts'
import { isAsideKey } from './nested-keys.ts'
import type { Request } from '../effect/perform.ts'

/** The drift check that is due before this call: a question to a model, of which the guard reads the recorded answer. */
export function dueCheck({ run, effect, isAside }: Request): DriftCheck | undefined {
  return effect.kind === 'tool' && isAside !== true ? run.oversight?.dueCheck(run.gate.mandates) : undefined
}

/** What a mind is owed: not the outcomes of what it never asked for. */
export function owedBy({ deliveries }: RunFold): readonly Delivery[] {
  const isAside = ({ key }: Delivery): boolean => isAsideKey(key)
  return deliveries.some(isAside) ? deliveries.filter((delivery) => !isAside(delivery)) : deliveries
}
