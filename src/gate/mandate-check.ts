import { GUARD_CHECKS } from './mandate-guards.ts'
import { readMandate } from './mandate-reading.ts'
import type { Mandate } from './mandate.ts'
import { checkRules } from './rule-set.ts'

/** Mandates that are known to be good and cannot change any more. */
const checked = new WeakSet<object>()

/**
 * Checks a mandate as a user wrote it and returns a frozen copy. Whatever could go wrong later goes wrong here: CONFIG_INVALID names the field and the fix.
 *
 * @example
 * ```ts
 * import { checkMandate } from 'mandate/gate'
 * const mandate = checkMandate({ profile: 'strict', deny: ['shell*'], budget: { money: 0.5 } })
 * ```
 */
export function checkMandate(value: unknown): Mandate {
  const mandate = readMandate(value, checkGuardFields)
  if (checked.has(mandate)) return mandate
  // It may have been read before without being checked.
  if (mandate === value) checkGuardFields(mandate)
  checked.add(mandate)
  return mandate
}

function checkGuardFields(mandate: Mandate): void {
  if (mandate.rules !== undefined) checkRules(mandate.rules)
  for (const [field, check] of Object.entries(GUARD_CHECKS)) {
    const said = mandate[field as keyof Mandate]
    if (said !== undefined) check(said, field)
  }
}
