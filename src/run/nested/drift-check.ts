import { MandateError } from '../../core/index.ts'
import { OVERSEER_KEY, driftRequest } from '../../gate/index.ts'
import type { DriftCheck, Effect, Mandate } from '../../gate/index.ts'
import type { Mind } from '../mind/mind.ts'
import type { Request } from '../effect/perform.ts'
import { findModel, findable } from '../kernel/registry.ts'
import type { Registry } from '../kernel/registry.ts'

/** Refuses a run whose overseer could never ask the model that it is meant to ask. */
export function checkDriftModels(registry: Registry, { resources = {} }: Mind, mandates: readonly Mandate[]): void {
  for (const { overseer } of mandates) {
    const name = overseer?.drift?.model
    if (name === undefined || findModel(resources, registry, name) !== undefined) continue
    const known = findable('models', resources, registry).join(', ') || 'none'
    throw new MandateError(
      'CONFIG_INVALID',
      `\`overseer.drift.model\` is "${name}", and there is no such model here. Name one that there is (${known}), or add it with \`kernel.registry.registerModel\`.`,
    )
  }
}

/** Asks whether the run still serves its task. The model call passes the gate and is journaled below the call; the mind does not see it. */
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
