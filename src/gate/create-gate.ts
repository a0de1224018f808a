import { checkFields } from '../core/index.ts'
import { GATE_OPTIONS, openGate } from './gate.ts'
import type { Gate, GateOptions } from './gate.ts'
import { checkMandate } from './mandate-check.ts'

/**
 * The one door to the world. Every guard is asked; the strictest answer wins (kill, deny, ask, modify, allow), and the first of equals names the rule.
 * A modification is shown to all guards from `schema` on, three passes at most.
 *
 * @example
 * ```ts
 * import { createGate } from 'mandate/gate'
 * const gate = createGate({ mandate: { profile: 'strict', deny: ['shell'] } })
 * ```
 */
export function createGate(options: GateOptions): Gate {
  checkFields(options, 'an option of a gate', GATE_OPTIONS)
  const { mandate, above = [] } = options
  return openGate({ ...options, mandate: checkMandate(mandate), above: above.map(checkMandate) })
}
