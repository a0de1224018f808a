import { hashEffect } from '../../gate/index.ts'
import type { GateDecision } from '../../gate/index.ts'
import type { Request } from './perform.ts'

/** The hash of the call that is approved and performed: that of its final input. */
export function hashOf({ effect, asked }: Request, { input }: GateDecision): string {
  return input === effect.input ? asked : hashEffect(effect.kind, effect.name, input)
}

/** The idempotency key sent to the outside world: the same for every attempt, and in a fork the same as in the original run. */
export function idempotencyKeyOf({ run, key }: Pick<Request, 'run' | 'key'>): string {
  return run.fold.effects.get(key)?.start?.data.idempotencyKey ?? `${run.id}/${key}`
}
