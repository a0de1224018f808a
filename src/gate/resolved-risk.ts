import type { Risk } from '../tool/index.ts'
import type { Effect, EffectFacts } from './effect.ts'
import type { Mandate } from './mandate.ts'
import { riskOfInput } from './risk-inputs.ts'
import { assessRisk, overridden, toolRisk } from './risk.ts'

/**
 * How much harm an effect can do: the host's word if there is one, else the highest of what its target says, what its name and input give away,
 * and what the model declared. A declaration can only raise it.
 */
export function resolveRisk(effect: Effect, facts: EffectFacts, mandate: Mandate): Risk {
  const told = overridden(effect, mandate)
  if (told !== undefined) return told
  return effect.kind === 'tool'
    ? toolRisk(effect, facts, riskOfInput(effect.input))
    : (assessRisk(effect, facts) as Risk)
}
