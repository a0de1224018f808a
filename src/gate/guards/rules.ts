import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import { firstMatch } from '../rules/rule-set.ts'

/** Applies the first matching rule of the mandate. */
export const rulesGuard: Guard = {
  name: 'rules',
  appliesTo: ({ rules }) => rules !== undefined && rules.length > 0,
  check: checkRules,
}

function checkRules(view: GateView): GuardVerdict {
  const { rules } = view.mandate
  const match = rules === undefined || rules.length === 0 ? undefined : firstMatch(rules, view)
  if (match === undefined) return undefined
  const { rule, reason } = match
  switch (rule.then) {
    case 'allow':
    case 'ask':
      return { verdict: rule.then, rule: rule.id, reason }
    case 'deny':
      return { verdict: 'deny', rule: rule.id, reason, code: 'DENIED' }
    case 'kill':
      return { verdict: 'kill', rule: rule.id, reason, code: 'KILLED' }
  }
}
