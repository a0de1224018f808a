import { OVERSEER_KEY } from '../gate/index.ts'
import type { DriftCheck } from '../gate/index.ts'
import type { Delivery, RunFold } from '../journal/index.ts'
import type { Request } from './perform.ts'

/** The drift check that is due before this call: a question to a model, of which the guard reads the recorded answer. */
export function dueCheck({ run, effect, isAside }: Request): DriftCheck | undefined {
  return effect.kind === 'tool' && isAside !== true ? run.oversight?.dueCheck(run.gate.mandates) : undefined
}

/** What a mind is owed: not the answers to questions that it never asked. No mind can take this key. */
export function owedBy({ deliveries }: RunFold): readonly Delivery[] {
  const isAside = ({ key }: Delivery): boolean => key.endsWith(`/${OVERSEER_KEY}`)
  return deliveries.some(isAside) ? deliveries.filter((delivery) => !isAside(delivery)) : deliveries
}
