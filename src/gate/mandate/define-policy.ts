import type { Mandate } from './mandate.ts'
import { readPolicy } from './presets.ts'
import type { Policy } from './presets.ts'

/**
 * Creates a mandate from a policy: the preset's fields, overridden by the policy's own. The result is validated, frozen plain data; as JSON it is the
 * same mandate.
 *
 * @example
 * ```ts
 * import { definePolicy } from 'mandate/gate'
 * const mandate = definePolicy({
 *   preset: 'governed',
 *   deny: ['shell*'],
 *   rates: [{ tool: 'refund', max: 20, perMs: 86_400_000, per: 'all' }],
 *   budget: { money: 2 },
 * })
 * ```
 */
export function definePolicy(policy: Policy): Mandate {
  return readPolicy(policy)
}
