import { DEFAULT_RUN_LIMITS, isList, isSame } from '../../core/index.ts'
import type { Json, FieldNames } from '../../core/index.ts'
import type { ApprovalRequestData, RuleBinding, StandingApproval } from '../../journal/index.ts'
import type { Risk } from '../../tool/index.ts'
import { hashEffect } from '../effect.ts'
import type { Effect } from '../effect.ts'
import { riskRank } from '../risk/risk.ts'
import { targetName } from '../rules/targets.ts'

/** What an approver may say about how far an approval reaches; it can only be narrower than the scope. */
export interface StandingWish {
  /** Members that the input must have, with exactly these values. */
  readonly input?: { readonly [name: string]: Json } | undefined
  readonly riskMax?: Risk | undefined
  readonly expiresAt?: number | undefined
}

export const STANDING_WISH: FieldNames<StandingWish> = { input: true, riskMax: true, expiresAt: true }

/** An approval until the run ends lives in that run's journal, and so ends with it. */
const UNTIL_RUN_ENDS = Number.MAX_SAFE_INTEGER

/** The standing approval that covers a call, if there is one. It speaks only where the gate asks: the kernel does not look here for a call that is denied. */
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
  // What is no risk at all bounds nothing, so it must not bound from far above.
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

/** The longest time for which an approval with the scope `rule` holds, and how long it does where nothing shorter is said. */
export const RULE_APPROVAL_MAX_MS: number = DEFAULT_RUN_LIMITS.approvalTtlMs

/** Whether an approval with the scope `rule` covers a call that is bound as `binding` says: the same mandates, tool and mind, and no rule asks that was not answered. */
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
  const { mandates, definition, mind, rules } = call.binding
  if (bound.mandates !== mandates) return false
  if (bound.definition !== definition) return false
  if (bound.mind !== mind) return false
  return rules.length > 0 && rules.every((rule) => bound.rules.includes(rule))
}

/** What an approval with this scope covers from now on; `undefined` when it is for one call only. */
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
