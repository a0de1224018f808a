import type { Guard } from './guard.ts'
import { contentGuard } from './guards/content.ts'
import { flowGuard } from './guards/flow.ts'
import { intentGuard } from './guards/intent.ts'
import { overseerGuard } from './guards/overseer.ts'
import { rateGuard } from './guards/rate.ts'
import { riskGuard } from './guards/risk.ts'
import { rulesGuard } from './guards/rules.ts'

export { checkMandate } from './mandate-check.ts'
export { Oversight } from './oversight.ts'
export { riskOfInput } from './risk-inputs.ts'
export { Deliberation } from './weighing.ts'

/** The guards that are asked only where a mandate calls for them. */
export const GUARDS: ReadonlyMap<string, Guard> = new Map(
  [intentGuard, riskGuard, rulesGuard, rateGuard, contentGuard, flowGuard, overseerGuard].map((guard) => [
    guard.name,
    guard,
  ]),
)
