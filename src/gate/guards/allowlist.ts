import { nearest } from '../../core/index.ts'
import type { EffectKind } from '../../journal/index.ts'
import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import type { Mandate } from '../mandate/mandate.ts'
import { matchesTarget, namesKind, shown, targetName } from '../rules/targets.ts'

/** Bounded, because a model reads the list and every name costs it tokens. */
const ALTERNATIVES_MAX = 20

/** Allows only targets that are registered, not denied, allowed and, unless safe by default, granted. */
export const allowlistGuard: Guard = { name: 'allowlist', check: checkAllowlist }

function checkAllowlist(view: GateView): GuardVerdict {
  const { mandate, facts } = view
  const { kind, name } = view.effect
  const what = (): string => `The ${kind} ${shown(name)}`
  if (isDenied(mandate, kind, name)) {
    return { verdict: 'deny', rule: 'deny', code: 'DENIED', reason: `${what()} is on the deny list of the mandate.` }
  }
  if (!facts.known) return unknownTarget(view)
  if (!isAllowed(mandate, kind, name)) {
    const add = `Add ${shown(targetName(kind, name))} to \`allow\` to permit it.`
    return {
      verdict: 'deny',
      rule: 'allow',
      code: 'DENIED',
      reason: `${what()} is not on the allow list of the mandate. ${add}`,
    }
  }
  if (facts.safeByDefault === false && !isListed(mandate.grant, kind, name)) {
    const add = `Add ${shown(targetName(kind, name))} to \`grant\` of the mandate, and of every mandate above it, to permit it.`
    return {
      verdict: 'deny',
      rule: 'grant',
      code: 'DENIED',
      reason: `${what()} is not safe by default and was not granted. ${add}`,
    }
  }
  return undefined
}

function isListed(list: readonly string[] | undefined, kind: EffectKind, name: string): boolean {
  return list !== undefined && list.some((pattern) => matchesTarget(pattern, kind, name))
}

/** A tool that is performed as a question or a sleep is also denied by its plain name, so that a `deny` list does not depend on how a tool is performed. */
function isDenied({ deny }: Mandate, kind: EffectKind, name: string): boolean {
  return isListed(deny, kind, name) || ((kind === 'question' || kind === 'sleep') && isListed(deny, 'tool', name))
}

/** Kinds other than tools are allowed until the list names one of that kind: a list of tools should not forbid the model that calls them. */
function isAllowed(mandate: Mandate, kind: EffectKind, name: string): boolean {
  if (mandate.allow === undefined || isListed(mandate.allow, kind, name)) return true
  return kind !== 'tool' && !mandate.allow.some((pattern) => namesKind(pattern, kind))
}

function unknownTarget(view: GateView): GuardVerdict {
  const { kind, name } = view.effect
  const usable = (view.facts.alternatives ?? []).filter(
    (other) => isAllowed(view.mandate, kind, other) && !isListed(view.mandate.deny, kind, other),
  )
  const meant = nearest(name, usable)
  const hint = meant === undefined ? '' : ` Did you mean ${shown(meant)}?`
  const more = usable.length > ALTERNATIVES_MAX ? ` and ${usable.length - ALTERNATIVES_MAX} more` : ''
  const list = usable.slice(0, ALTERNATIVES_MAX).map(shown).join(', ')
  const choice = usable.length === 0 ? ` No ${kind} is available here.` : ` Available: ${list}${more}.`
  const code = kind === 'tool' ? 'TOOL_UNKNOWN' : 'NOT_FOUND'
  return { verdict: 'deny', rule: 'unknown', code, reason: `There is no ${kind} ${shown(name)}.${hint}${choice}` }
}
