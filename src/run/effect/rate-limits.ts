import { countersFor, describeRate, firstRateHit } from '../../gate/index.ts'
import type { GateDecision, RateCounter, RateHit } from '../../gate/index.ts'
import type { Ending, Request } from './perform.ts'
import { refuse } from './refusals.ts'
import { lineOf } from './rate-counters.ts'

/**
 * Counts a call in every rate limit that concerns it; the limit that another call has used up meanwhile, or nothing. Processes that share a store do not
 * wait for each other here: between them a limit can be overshot by as many calls as there are processes.
 */
export async function takeRates({ run, effect }: Request): Promise<RateHit | undefined> {
  const { kind, name } = effect
  const call = { kind, name, identity: run.start.identity, runId: run.id }
  const counters = run.gate.mandates.flatMap((mandate) => countersFor(mandate, call))
  if (counters.length === 0) return undefined
  const { journal, clock } = run.host
  const line = lineOf(journal)
  const taken = line.last.then(async () => {
    const now = clock.now()
    const hit = await firstRateHit(counters, line.counts, now)
    if (hit !== undefined) return hit
    for (const counter of namesOf(counters)) await journal.addCount(counter, now, 1)
    return undefined
  })
  line.last = taken.catch(() => {})
  return taken
}

/**
 * Counts another attempt at a call, in rate limits and in `callCap`: a retry reaches the world like the first attempt. Gives the limit that refuses it,
 * in words.
 */
export async function countAttempt(request: Request): Promise<string | undefined> {
  const { run, effect } = request
  const hit = await takeRates(request)
  if (hit !== undefined) return describeRate(hit, run.host.clock.now())
  if (effect.kind === 'tool') run.toolCalls += 1
  return undefined
}

/** Two mandates that limit the same calls mean the same calls. */
function namesOf(counters: readonly RateCounter[]): Iterable<string> {
  return counters.length === 1 ? [counters[0]!.name] : new Set(counters.map(({ name }) => name))
}

/** What a call ends with that a limit on calls refused. */
export function refuseRate({ run }: Request, decision: GateDecision, hit: RateHit): Ending {
  const rule = `rate/${hit.limit.tool}`
  const reason = describeRate(hit, run.host.clock.now())
  return refuse({ ...decision, verdict: 'deny', rule, code: 'RATE_LIMITED', reason })
}
