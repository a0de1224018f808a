import { OVERSEER_KEY, driftRequest } from '../gate/index.ts'
import type { DriftCheck, Effect } from '../gate/index.ts'
import type { Request } from './perform.ts'

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
