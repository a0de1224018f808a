import { DEFAULT_RUN_LIMITS, isList, isSame } from '../../core/index.ts'
import type { Json, FieldNames } from '../../core/index.ts'
import type { ApprovalRequestData, RuleBinding, StandingApproval } from '../../journal/index.ts'
import type { Risk } from '../../tool/index.ts'
import { hashEffect } from '../effect.ts'
import type { Effect } from '../effect.ts'
import { riskRank } from '../risk/risk.ts'
import { targetName } from '../rules/targets.ts'

/** How an approver may narrow the reach of an approval; it cannot be widened beyond its scope. */
export interface StandingWish {
  /** Members that the input must have, with exactly these values. */
  readonly input?: { readonly [name: string]: Json } | undefined
  readonly riskMax?: Risk | undefined
  readonly expiresAt?: number | undefined
}

export const STANDING_WISH: FieldNames<StandingWish> = { input: 'object', riskMax: 'text', expiresAt: 'number' }

/** Such an approval is kept in the journal of its run, and so ends with it. */
const UNTIL_RUN_ENDS = Number.MAX_SAFE_INTEGER

/** The standing approval that covers a call, if there is one. It only lifts an `ask`: the kernel does not use it for a call that is denied. */
export function matchStanding(
  standing: readonly StandingApproval[],
  effect: Pick<Effect, 'kind' | 'name' | 'input'>,
  risk: Risk,
  now: number,
): StandingApproval | undefined {
  if (standing.length === 0) return undefined
  const target = targetName(effect.kind, effect.name)
  return standing.find(
    (approval) =>
      approval.tool === target &&
      now < approval.expiresAt &&
      isWithin(risk, approval.riskMax) &&
      covers(approval, effect),
  )
}

function isWithin(risk: Risk, riskMax: string): boolean {
  const bound = riskRank(riskMax)
  // An unknown risk ranks highest, so as a bound it would allow everything: it allows nothing instead.
  return bound < riskRank('') && riskRank(risk) <= bound
}

function covers(approval: StandingApproval, { kind, name, input }: Pick<Effect, 'kind' | 'name' | 'input'>): boolean {
  if (approval.hash !== undefined && approval.hash !== hashEffect(kind, name, input)) return false
  if (approval.input === undefined) return true
  if (typeof input !== 'object' || input === null || isList(input)) return false
  return Object.entries(approval.input).every(
    ([member, value]) => Object.hasOwn(input, member) && isSame(input[member]!, value),
  )
}

/** The maximum and default lifetime of an approval with the scope `rule`. */
export const RULE_APPROVAL_MAX_MS: number = DEFAULT_RUN_LIMITS.approvalTtlMs

/** Whether an approval with the scope `rule` covers a call with this binding: mandates, tool, mind and its code are the same, and every rule that asks was answered. */
export function coversByRule(
  approval: StandingApproval,
  call: {
    readonly effect: Pick<Effect, 'kind' | 'name' | 'input'>
    readonly risk: Risk
    readonly binding: RuleBinding
  },
  now: number,
): boolean {
  const { bound } = approval
  if (bound === undefined || matchStanding([approval], call.effect, call.risk, now) === undefined) return false
  const { mandates, definition, mind, code, rules } = call.binding
  if (bound.mandates !== mandates) return false
  if (bound.definition !== definition) return false
  if (bound.mind !== mind) return false
  if (bound.code !== code) return false
  return rules.length > 0 && rules.every((rule) => bound.rules.includes(rule))
}

/** What an approval with this scope covers from now on; `undefined` if it covers one call only. */
export function standingFor(
  request: ApprovalRequestData,
  response: {
    readonly scope?: string | undefined
    readonly standing?: StandingWish | undefined
  },
  now: number,
): StandingApproval | undefined {
  const { scope, standing: wish = {} } = response
  if (scope !== 'run' && scope !== 'rule') return undefined
  const { kind, name, binding } = request
  return {
    tool: targetName(kind, name),
    ...(wish.input === undefined ? {} : { input: wish.input }),
    riskMax: wish.riskMax ?? request.risk ?? 'read',
    expiresAt: wish.expiresAt ?? (scope === 'run' ? UNTIL_RUN_ENDS : now + RULE_APPROVAL_MAX_MS),
    ...(scope === 'rule' ? { bound: binding } : {}),
  }
}
