import type { EffectKind } from '../journal/index.ts'
import { Budget } from './budget/budget.ts'
import type { Effect, EffectFacts } from './effect.ts'
import type { GateRequest } from './gate.ts'
import type { GateView } from './guard.ts'
import type { Mandate } from './mandate/mandate.ts'
import { resolveRisk } from './risk/risk.ts'

/** The differences from a harmless call of the tool `search` by the owner. */
export interface ViewParts extends Partial<Omit<GateView, 'effect' | 'facts'>> {
  readonly kind?: EffectKind | undefined
  readonly name?: string | undefined
  readonly effect?: Partial<Effect> | undefined
  readonly facts?: Partial<EffectFacts> | undefined
}

/** A request to the gate. */
export function requestOf(parts: ViewParts = {}): GateRequest {
  const kind = parts.kind ?? 'tool'
  const name = parts.name ?? 'search'
  return {
    effect: { kind, name, input: parts.input ?? { q: 'x' }, ...parts.effect },
    facts: { known: true, risk: 'read', worst: {}, ...parts.facts },
    identity: parts.identity ?? { id: 'ana', roles: ['owner'] },
    budget: parts.budget ?? new Budget(),
    depth: parts.depth ?? 0,
    toolCalls: parts.toolCalls ?? 0,
    now: parts.now ?? 1_000,
    runId: parts.runId,
    counts: parts.counts,
    filters: parts.filters,
    oversight: parts.oversight,
    isOverseer: parts.isOverseer,
    vaulted: parts.vaulted,
  }
}

/** A view for one guard. */
export function viewOf(parts: ViewParts = {}): GateView {
  const request = requestOf(parts)
  const mandate: Mandate = parts.mandate ?? {}
  const risk = parts.risk ?? resolveRisk(request.effect, request.facts, mandate)
  return { ...request, mandate, mandates: parts.mandates ?? [mandate], risk, input: request.effect.input }
}
