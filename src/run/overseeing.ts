import { OVERSEER_KEY, dueDriftCheck, driftRequest } from '../gate/index.ts'
import type { DriftCheck, Effect } from '../gate/index.ts'
import type { Delivery, RunFold } from '../journal/index.ts'
import type { Request } from './perform.ts'

/** The drift check that is due before this call: a question to a model, of which the guard reads the recorded answer. */
export function dueCheck({ run, effect, isAside }: Request): DriftCheck | undefined {
  const { oversight } = run
  if (oversight === undefined || effect.kind !== 'tool' || isAside === true) return undefined
  for (const { overseer } of run.gate.mandates) {
    const due = dueDriftCheck(overseer, oversight.toolCalls)
    if (due !== undefined) return due
  }
  return undefined
}

/** Asks whether the run still serves its task. The question passes the gate and stands in the journal below the call; the mind never hears of it. */
export async function checkDrift({ run, key, effect, asked }: Request, drift: DriftCheck): Promise<void> {
  const below = `${key}/${OVERSEER_KEY}`
  // An earlier stretch has asked already: its answer was counted when the journal was read.
  if (run.fold.effects.get(below)?.end !== undefined) return
  const { name, input, intent } = effect
  const calls = [...run.oversight!.lastCalls, { at: 0, hash: asked, name, input, intent }]
  const question: Effect = {
    kind: 'model',
    name: drift.model,
    input: driftRequest(run.start.input, calls),
    origin: 'overseer',
  }
  await run.performAside(below, question)
  run.fold.forget(below)
}

/** What a mind is owed: not the answers to questions that it never asked. No mind can take this key. */
export function owedBy({ deliveries }: RunFold): readonly Delivery[] {
  const isAside = ({ key }: Delivery): boolean => key.endsWith(`/${OVERSEER_KEY}`)
  return deliveries.some(isAside) ? deliveries.filter((delivery) => !isAside(delivery)) : deliveries
}
