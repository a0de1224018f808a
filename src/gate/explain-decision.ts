import { messageOf, checkFields } from '../core/index.ts'
import type { GateDecision } from './evaluate-guards.ts'
import { DEFAULT_GUARDS, GATE_OPTIONS, createGate } from './gate.ts'
import type { GateOptions, GateRequest } from './gate.ts'
import type { Guard, GuardVerdict } from './guard.ts'
import { explainRisk } from './risk/risk.ts'
import type { RiskFinding } from './risk/risk.ts'

/** The result of one guard under one mandate. */
interface Opinion {
  readonly guard: string
  /** 0 is the agent's own mandate; those of its parents and of the host follow. */
  readonly level: number
  readonly verdict: 'silent' | 'allow' | 'modify' | 'ask' | 'deny' | 'kill'
  readonly rule?: string | undefined
  readonly reason?: string | undefined
}

/** A decision with the results of all guards. */
export interface Explanation {
  readonly decision: GateDecision
  readonly opinions: readonly Opinion[]
  /** The reason for the risk, under the mandate that makes it highest, and whether the tool's declaration should be reviewed. */
  readonly risk: RiskFinding
}

/**
 * Decides like the gate, and returns the result of every guard: the one that decided, and the others that would have.
 *
 * @example
 * ```ts
 * import { Budget, explainDecision } from 'mandate/gate'
 * const { decision, opinions } = await explainDecision(
 *   { mandate: { profile: 'strict' } },
 *   {
 *     effect: { kind: 'tool', name: 'delete_file', input: { path: 'a.txt' } },
 *     facts: { known: true, worst: { toolCalls: 1 } },
 *     identity: { id: 'ana', roles: ['owner'] },
 *     budget: new Budget(),
 *     depth: 0,
 *     toolCalls: 0,
 *     now: 0,
 *   },
 * )
 * console.log(decision.rule, opinions.length)
 * ```
 */
export async function explainDecision(options: GateOptions, request: GateRequest): Promise<Explanation> {
  checkFields(options, 'an option of a gate', GATE_OPTIONS)
  const opinions: Opinion[] = []
  const guards = (options.guards ?? DEFAULT_GUARDS).map((guard): Guard => ({
    ...guard,
    async check(view) {
      const level = gate.mandates.indexOf(view.mandate)
      try {
        const answer = await guard.check(view)
        opinions.push(opinionOf(guard, level, answer))
        return answer
      } catch (error) {
        opinions.push({ guard: guard.name, level, verdict: 'deny', rule: 'fault', reason: messageOf(error) })
        throw error
      }
    },
  }))
  const gate = createGate({ ...options, guards })
  const decision = await gate.decide(request)
  const effect = { ...request.effect, input: decision.input }
  const found = gate.mandates.map((mandate) => explainRisk(effect, request.facts, mandate))
  return { decision, opinions, risk: found.find(({ risk }) => risk === decision.risk) ?? found[0]! }
}

function opinionOf({ name }: Guard, level: number, answer: GuardVerdict): Opinion {
  if (answer === undefined) return { guard: name, level, verdict: 'silent' }
  const { verdict, rule, reason } = answer
  return { guard: name, level, verdict, ...(rule === undefined ? {} : { rule }), reason }
}
