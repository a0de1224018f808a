import { describeBreach, findBreach } from '../content/flow-rules.ts'
import type { GateView, Guard, GuardVerdict } from '../guard.ts'

/** Checks the labels of an effect's input against the mandate's flow rules. */
export const flowGuard: Guard = {
  name: 'flow',
  appliesTo: ({ flow }) => flow !== undefined && flow.length > 0,
  check: checkFlow,
}

function checkFlow(view: GateView): GuardVerdict {
  let asked: GuardVerdict
  for (const rule of view.mandate.flow ?? []) {
    const breach = findBreach(rule, view)
    if (breach === undefined) continue
    const reason = describeBreach(breach, view)
    if (rule.then !== 'ask') return { verdict: 'deny', rule: rule.id, code: 'DENIED', reason }
    // A standing approval was given without knowing the labels of this call.
    asked ??= { verdict: 'ask', rule: rule.id, reason, once: true }
  }
  return asked
}
