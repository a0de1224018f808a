import { MandateError, checkFields } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import { evaluateGuards } from './evaluate-guards.ts'
import type { GateDecision, GuardAtLevel, MutableView } from './evaluate-guards.ts'
import type { GateView, Guard } from './guard.ts'
import { allowlistGuard } from './guards/allowlist.ts'
import { budgetGuard } from './guards/budget.ts'
import { contentGuard } from './guards/content.ts'
import { flowGuard } from './guards/flow.ts'
import { intentGuard } from './guards/intent.ts'
import { overseerGuard } from './guards/overseer.ts'
import { rateGuard } from './guards/rate.ts'
import { revealGuard } from './guards/reveal.ts'
import { riskGuard } from './guards/risk.ts'
import { rulesGuard } from './guards/rules.ts'
import { profileGuard } from './guards/profile.ts'
import { roleGuard } from './guards/role.ts'
import { schemaGuard } from './guards/schema.ts'
import { checkMandate } from './mandate/check-mandate.ts'
import type { Mandate } from './mandate/mandate.ts'
import type { Risk } from '../tool/index.ts'
import { resolveRisk } from './risk/risk.ts'
import { shown } from './rules/targets.ts'

/** The guards in order of evaluation. To add one, insert it at its place in a copy of this list. */
export const DEFAULT_GUARDS: readonly Guard[] = Object.freeze([
  roleGuard,
  allowlistGuard,
  schemaGuard,
  intentGuard,
  riskGuard,
  profileGuard,
  rulesGuard,
  rateGuard,
  contentGuard,
  flowGuard,
  revealGuard,
  budgetGuard,
  overseerGuard,
])

/** The gate's input: an effect, with information about it and its run. */
export type GateRequest = Omit<GateView, 'risk' | 'mandate' | 'mandates' | 'input'>

export interface GateOptions {
  readonly mandate: Mandate
  /** The mandates of the parents and of the host, nearest first. The strictest of all decides. */
  readonly above?: readonly Mandate[] | undefined
  readonly guards?: readonly Guard[] | undefined
}

export const GATE_OPTIONS: FieldNames<GateOptions> = { mandate: 'object', above: 'objects', guards: 'objects' }

export interface Gate {
  readonly mandate: Mandate
  /** The mandate and those above it, nearest first, as checked. */
  readonly mandates: readonly Mandate[]
  /** Whether any of them filters the output of tools. */
  readonly filtersOutput: boolean
  /** Whether any of them requires declared intents. */
  readonly intentRequired: boolean
  /** Decides about an effect. Commits nothing and never rejects: an error in a guard is a denial. */
  decide(request: GateRequest): Promise<GateDecision>
}

/**
 * Creates the gate that every effect passes. Every guard is evaluated; the strictest verdict applies (kill, deny, ask, modify, allow), and of equal ones
 * the first names the rule. A modification is shown to all guards from `schema` on, in at most three passes.
 */
export function createGate(options: GateOptions): Gate {
  checkFields(options, 'an option of a gate', GATE_OPTIONS)
  const mandates = chainMandates(options.mandate, options.above ?? [])
  const guards = checkGuards(options.guards ?? DEFAULT_GUARDS).flatMap((guard): GuardAtLevel[] =>
    (guard.ignoresMandate === true ? mandates.slice(0, 1) : mandates).flatMap((mandate, level) =>
      guard.appliesTo?.(mandate) === false ? [] : [{ guard, level }],
    ),
  )
  const restart = Math.max(
    0,
    guards.findIndex(({ guard }) => guard.name === schemaGuard.name),
  )
  return {
    mandate: mandates[0]!,
    mandates,
    filtersOutput: mandates.some(({ content }) => content?.some(({ on }) => on.includes('tool-output')) === true),
    intentRequired: mandates.some(({ intentRequired }) => intentRequired === true),
    async decide(request) {
      const { effect, facts } = request
      const views = mandates.map((mandate): MutableView => {
        return { ...request, mandate, mandates, input: effect.input, risk: resolveRisk(effect, facts, mandate) }
      })
      return evaluateGuards({ guards, restart, views, assess })
    },
  }
}

function assess({ effect, input, facts, mandate }: MutableView): Risk {
  return resolveRisk({ ...effect, input }, facts, mandate)
}

/** A mandate without `roles` or `grant` inherits those of the mandate above it; it cannot give itself more. */
function chainMandates(own: Mandate, above: readonly Mandate[]): readonly Mandate[] {
  const all = [own, ...above].map((mandate) => checkMandate(mandate))
  return all.map((mandate, level) => {
    const roles = mandate.roles ?? all.slice(level).find((higher) => higher.roles !== undefined)?.roles
    const grant = mandate.grant ?? all.slice(level).find((higher) => higher.grant !== undefined)?.grant
    return roles === mandate.roles && grant === mandate.grant ? mandate : checkMandate({ ...mandate, roles, grant })
  })
}

function checkGuards(guards: readonly Guard[]): readonly Guard[] {
  const names = new Set<string>()
  for (const guard of guards) {
    const { name } = guard
    if (typeof name !== 'string' || name === '' || typeof guard.check !== 'function') {
      throw new MandateError(
        'CONFIG_INVALID',
        `Every entry of \`guards\` must be { name, check(view) }; ${shown(name)} is not.`,
      )
    }
    if (names.has(name))
      throw new MandateError('CONFIG_INVALID', `Two guards are named "${name}". Give each its own name.`)
    names.add(name)
  }
  return [...guards]
}
