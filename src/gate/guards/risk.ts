import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import { riskRank } from '../risk/risk.ts'
import { shown } from '../rules/targets.ts'

/** Nothing above the highest risk that the mandate allows; how the risk was found is in `risk.ts`. */
export const riskGuard: Guard = {
  name: 'risk',
  appliesTo: ({ riskMax }) => riskMax !== undefined,
  check: checkRisk,
}

function checkRisk({ effect, risk, mandate }: GateView): GuardVerdict {
  const max = mandate.riskMax
  if (max === undefined || riskRank(risk) <= riskRank(max)) return undefined
  return {
    verdict: 'deny',
    rule: risk,
    code: 'DENIED',
    reason: `The ${effect.kind} ${shown(effect.name)} is of risk "${risk}"; this mandate allows "${max}" at most.`,
  }
}
