import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { GateDecision, GateRequest } from '../../gate/index.ts'
import { bounded } from './bounded-wait.ts'
import type { Request } from './perform.ts'
import { countsOf } from './rate-limits.ts'

/**
 * Step 3: evaluates the run's gate, which includes the mandates of its parents and of the host, for an effect with this input. Commits nothing.
 * Guards that do not answer within their limit deny.
 */
export async function decide(request: Request, input: Json): Promise<GateDecision> {
  const { run, key, effect, performer, isWithin } = request
  const limitMs = run.limits.checkTimeoutMs
  const what = `The check of ${effect.kind} "${effect.name}" (a content filter or an asynchronous schema)`
  try {
    return await bounded(
      { run, key, isWithin, what, limitMs, limit: 'limits.checkTimeoutMs' },
      run.gate.decide(gateRequest(request, input)),
    )
  } catch (error) {
    if (run.signal.aborted || !MandateError.isInstance(error) || error.code !== 'TIMEOUT') throw error
    const { risk = 'exec' } = performer.facts(effect, run)
    return {
      ...{ verdict: 'deny', rule: 'gate/timeout', code: 'TIMEOUT', reason: error.message },
      ...{ risk, input: effect.input, modified: [] },
    }
  }
}

/** The parts of a request that the gate reads. */
type GateSubject = Pick<Request, 'run' | 'effect' | 'performer' | 'isAside'> & Partial<Pick<Request, 'asked'>>

/** The gate's request for an effect with this input. */
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
