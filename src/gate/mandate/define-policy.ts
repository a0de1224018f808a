import type { Mandate } from './mandate.ts'
import { readPolicy } from './presets.ts'
import type { Policy } from './presets.ts'

/**
 * Makes a mandate of a policy: the preset's fields, and the policy's own in their place. The result is checked, frozen plain data; written as JSON it
 * is the same mandate.
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
