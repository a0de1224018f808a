import { countersFor, firstRateHit } from '../gate/index.ts'
import type { RateHit } from '../gate/index.ts'
import type { Request } from './perform.ts'
import { lineOf } from './rating.ts'

/**
 * Counts a call in every rate limit that concerns it; the limit that another call has used up meanwhile, or nothing. Processes that share a store do not
 * wait for each other here: between them a limit can be overshot by as many calls as there are processes.
 */
export function takeRates({ run, effect }: Request): Promise<RateHit | undefined> | undefined {
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
    // Two mandates that limit the same calls mean the same calls.
    for (const counter of new Set(counters.map((one) => one.name))) await journal.addCount(counter, now, 1)
    return undefined
  })
  line.last = taken.catch(() => {})
  return taken
}
