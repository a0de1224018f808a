import { MandateError } from '../../core/index.ts'
import { OVERSEER_KEY, driftRequest } from '../../gate/index.ts'
import type { DriftCheck, Effect, Mandate } from '../../gate/index.ts'
import type { Mind } from '../mind/mind.ts'
import type { Request } from '../effect/perform.ts'
import { findJudge, findModel, findable } from '../kernel/registry.ts'
import type { Registry } from '../kernel/registry.ts'

/** Throws if the model of an overseer's drift check is not there. */
export function checkDriftModels(registry: Registry, { resources = {} }: Mind, mandates: readonly Mandate[]): void {
  for (const { overseer } of mandates) {
    const name = overseer?.drift?.model
    if (name === undefined || findModel(resources, registry, name) !== undefined) continue
    if (findJudge(registry, mandates, name) !== undefined) continue
    const known = findable('models', resources, registry).join(', ') || 'none'
    throw new MandateError(
      'CONFIG_INVALID',
      `\`overseer.drift.model\` is "${name}", and there is no such model. Name a model of an agent of the service (of this one: ${known}), or one of an installed provider as "provider/model".`,
    )
  }
}

/** The drift check that is due before this call: a question to a model, whose recorded answer the guard reads. */
export function dueCheck({ run, effect, isAside }: Request): DriftCheck | undefined {
  return effect.kind === 'tool' && isAside !== true ? run.oversight?.dueCheck(run.gate.mandates) : undefined
}

/**
 * Asks a model whether the run still serves its task. The model call passes the gate and is journaled below the call; its outcome is not delivered to the
 * mind.
 */
export async function checkDrift({ run, key, effect, asked }: Request, drift: DriftCheck): Promise<void> {
  const below = `${key}/${OVERSEER_KEY}`
  // An earlier segment has asked already: its answer was counted when the journal was read.
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
