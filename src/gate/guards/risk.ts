import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import { explainRisk, riskRank } from '../risk/risk.ts'
import { shown } from '../rules/targets.ts'

/** Denies everything above the mandate's `riskMax`; `risk.ts` determines the risk. */
export const riskGuard: Guard = {
  name: 'risk',
  appliesTo: ({ riskMax }) => riskMax !== undefined,
  check: checkRisk,
}

function checkRisk({ effect, input, facts, risk, mandate }: GateView): GuardVerdict {
  const max = mandate.riskMax
  if (max === undefined || riskRank(risk) <= riskRank(max)) return undefined
  const { why } = explainRisk({ ...effect, input }, facts, mandate)
  return {
    verdict: 'deny',
    rule: risk,
    code: 'DENIED',
    reason: `The ${effect.kind} ${shown(effect.name)} is of risk "${risk}" (${why}); this mandate allows "${max}" at most.`,
  }
}
