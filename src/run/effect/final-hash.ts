import { hashEffect } from '../../gate/index.ts'
import type { GateDecision } from '../../gate/index.ts'
import type { Request } from './perform.ts'

/** The hash of the call that is approved and performed: that of its final input. */
export function hashOf({ effect, asked }: Request, { input }: GateDecision): string {
  return input === effect.input ? asked : hashEffect(effect.kind, effect.name, input)
}
