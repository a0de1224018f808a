import type { Risk } from '../../tool/index.ts'
import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import type { Profile } from '../mandate/mandate.ts'
import { explainRisk, isStoreWrite, riskRank } from '../risk/risk.ts'
import { shown } from '../rules/targets.ts'

interface ProfileRow {
  /** The verdict for each risk; absent means allowed. */
  readonly risks: { readonly [R in Risk]?: 'ask' | 'deny' }
  /** The number of tool calls in a run after which each further one needs approval. */
  readonly callCap: number
}

/** The risk table of each profile. */
const TABLE: { readonly [P in Profile]: ProfileRow } = {
  'local-permissive': { risks: { destructive: 'ask' }, callCap: 250 },
  strict: { risks: { write: 'ask', exec: 'ask', destructive: 'ask' }, callCap: 120 },
  managed: { risks: { write: 'ask', exec: 'deny', destructive: 'deny' }, callCap: 80 },
}

/** The profile of a mandate without one. */
const DEFAULT_PROFILE: Profile = 'local-permissive'

/** Applies the profile's table to tool calls and stored data, the tool's own request for approval, and the cap on calls. */
export const profileGuard: Guard = { name: 'profile', check: checkProfile }

function checkProfile(view: GateView): GuardVerdict {
  const { kind } = view.effect
  if (kind !== 'tool' && !isStoreWrite(kind, view.input)) return wishOf(view)
  const profile = view.mandate.profile ?? DEFAULT_PROFILE
  const row = TABLE[profile]
  const action = isDecided(view) ? undefined : row.risks[view.risk]
  if (action !== undefined) {
    const then = action === 'ask' ? 'needs an approval' : 'is forbidden'
    const { why } = explainRisk({ ...view.effect, input: view.input }, view.facts, view.mandate)
    const reason = `${what(view)} is of risk "${view.risk}" (${why}), which ${then} under the profile "${profile}".`
    return {
      verdict: action,
      rule: `${profile}-${view.risk}`,
      reason,
      ...(action === 'deny' ? { code: 'DENIED' } : {}),
    }
  }
  const cap = view.mandate.callCap ?? row.callCap
  if (kind === 'tool' && view.toolCalls >= cap) {
    const reason = `This run has made ${view.toolCalls} tool calls; after ${cap} every further one needs an approval. Raise \`callCap\` of the mandate to allow more.`
    return { verdict: 'ask', rule: 'call-cap', reason, ofRun: true }
  }
  return wishOf(view)
}

/** Whether the risk of this write was decided with the call that it is part of: a person is not asked twice about one call. */
function isDecided({ facts, risk }: GateView): boolean {
  return facts.decidedRisk !== undefined && riskRank(risk) <= riskRank(facts.decidedRisk)
}

function wishOf(view: GateView): GuardVerdict {
  const wish = view.facts.needsApproval
  const asks = typeof wish === 'function' ? wish(view.input) : wish === true
  return asks ? { verdict: 'ask', rule: 'needs-approval', reason: `${what(view)} asks to be approved.` } : undefined
}

function what(view: GateView): string {
  return `The ${view.effect.kind} ${shown(view.effect.name)}`
}
