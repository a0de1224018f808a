import { countersFor, describeRate, firstOverrun, firstRateHit } from '../../gate/index.ts'
import type { Counts, GateDecision, RateCounter, RateHit } from '../../gate/index.ts'
import type { Journal } from '../../journal/index.ts'
import { storeBehind } from '../kernel/bounded-store.ts'
import type { Ending, Request } from './perform.ts'
import { refuse } from './refusals.ts'

/** The counters of a journal, and the end of its queue of checks. */
interface CounterQueue {
  readonly counts: Counts
  last: Promise<unknown>
}

/** One queue per store: check and increment are atomic, also if several kernels of this process share a store. */
const queues = new WeakMap<Journal, CounterQueue>()

function queueOf(journal: Journal): CounterQueue {
  const store = storeBehind(journal)
  let queue = queues.get(store)
  if (queue === undefined) {
    queue = { counts: { sum: (name, since) => journal.sumCount(name, since) }, last: Promise.resolve() }
    queues.set(store, queue)
  }
  return queue
}

/** The counters behind rate limits. They are kept by the journal, so they outlive runs and processes. */
export function countsOf(journal: Journal): Counts {
  return queueOf(journal).counts
}

/**
 * Counts a call in every rate limit that applies to it, or returns the limit that is used up. Processes that share a store are not serialized here: each one
 * checks again after it has counted, and takes its count back if the limit is exceeded. So a limit is never exceeded, but processes that ask for the last
 * call at the same moment may all be refused.
 */
export async function takeRates({ run, effect }: Request): Promise<RateHit | undefined> {
  const { kind, name } = effect
  const call = { kind, name, identity: run.start.identity, runId: run.id }
  const counters = run.gate.mandates.flatMap((mandate) => countersFor(mandate, call))
  if (counters.length === 0) return undefined
  const { journal, clock } = run.host
  const queue = queueOf(journal)
  const taken = queue.last.then(async () => {
    const now = clock.now()
    const hit = await firstRateHit(counters, queue.counts, now)
    if (hit !== undefined) return hit
    const names = [...namesOf(counters)]
    for (const counter of names) await journal.addCount(counter, now, 1)
    const limit = await firstOverrun(counters, queue.counts, now)
    if (limit === undefined) return undefined
    for (const counter of names) await journal.addCount(counter, now, -1)
    return { limit, freeAt: now + 1 }
  })
  queue.last = taken.catch(() => {})
  return taken
}

/**
 * Counts another attempt of a call, in rate limits and in `callCap`: a retry reaches the world like the first attempt. Returns the description of the
 * limit that refuses it.
 */
export async function countAttempt(request: Request): Promise<string | undefined> {
  const { run, effect } = request
  const hit = await takeRates(request)
  if (hit !== undefined) return describeRate(hit, run.host.clock.now())
  if (effect.kind === 'tool') run.toolCalls += 1
  return undefined
}

/** Two mandates with the same rate limit share its counter, so a call counts once. */
function namesOf(counters: readonly RateCounter[]): Iterable<string> {
  return counters.length === 1 ? [counters[0]!.name] : new Set(counters.map(({ name }) => name))
}

/** The ending of a call that a rate limit refused. */
export function refuseRate({ run }: Request, decision: GateDecision, hit: RateHit): Ending {
  const rule = `rate/${hit.limit.tool}`
  const reason = describeRate(hit, run.host.clock.now())
  return refuse({ ...decision, verdict: 'deny', rule, code: 'RATE_LIMITED', reason })
}
