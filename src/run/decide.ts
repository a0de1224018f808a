import type { Json } from '../core/index.ts'
import type { GateDecision, GateRequest } from '../gate/index.ts'
import type { Request } from './perform.ts'
import { countsOf } from './rating.ts'

/** Step 3: the run's gate, which knows the mandates of its parents and of the host, has its say. Nothing is committed. */
export function decide(request: Request, input: Json): GateDecision | Promise<GateDecision> {
  return request.run.gate.decide(gateRequest(request, input))
}

/** What a gate is asked about. */
export type GateSubject = Pick<Request, 'run' | 'effect' | 'performer' | 'isAside'> & Partial<Pick<Request, 'asked'>>

/** What a gate is asked about an effect with this input. */
export function gateRequest({ run, effect, performer, isAside, asked }: GateSubject, input: Json): GateRequest {
  const seen = input === effect.input ? effect : { ...effect, input }
  return {
    effect: seen,
    hash: seen === effect ? asked : undefined,
    facts: performer.facts(seen, run),
    identity: run.start.identity,
    budget: run.budget,
    depth: run.start.depth,
    toolCalls: run.toolCalls,
    now: run.host.clock.now(),
    runId: run.id,
    counts: countsOf(run.host.journal),
    filters: run.host.registry.filters,
    oversight: run.oversight,
    isOverseer: isAside,
    vaulted: run.vault !== undefined,
  }
}
