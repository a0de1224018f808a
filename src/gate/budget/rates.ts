import type { EffectKind, Identity } from '../../journal/index.ts'
import type { RateLimit } from '../mandate/guard-fields.ts'
import type { Mandate } from '../mandate/mandate.ts'
import { matchesTarget } from '../rules/targets.ts'

/** Sums of counters that outlive runs; implemented by journals. */
export interface Counts {
  /** The sum of a counter from `since` on, inclusive. */
  sum(name: string, since: number): number | Promise<number>
}

/** A call and its caller. */
interface RatedCall {
  readonly kind: EffectKind
  readonly name: string
  readonly identity: Identity
  readonly runId: string
}

export interface RateCounter {
  readonly name: string
  readonly limit: RateLimit
}

/** A limit that is used up, and when another call fits again. */
export interface RateHit {
  readonly limit: RateLimit
  readonly freeAt: number
}

/** The counters that count a call under one mandate. */
export function countersFor({ rates }: Mandate, call: RatedCall): readonly RateCounter[] {
  const counters: RateCounter[] = []
  for (const limit of rates ?? [])
    if (matchesTarget(limit.tool, call.kind, call.name)) counters.push({ name: counterName(limit, call), limit })
  return counters
}

/** The last counter name of each limit. It is usually needed again, and looking up a freshly concatenated string is slower. */
const names = new WeakMap<RateLimit, { readonly whose: string; readonly name: string }>()

function counterName(limit: RateLimit, { identity, runId }: RatedCall): string {
  const { tool, per = 'identity' } = limit
  const whose = per === 'all' ? '' : per === 'run' ? runId : identity.id
  const known = names.get(limit)
  if (known?.whose === whose) return known.name
  const name = per === 'all' ? `rate/${tool}` : `rate/${tool}/${per}/${whose}`
  names.set(limit, { whose, name })
  return name
}

/** The first limit that another call would exceed. Synchronous as long as the counters answer synchronously and no limit is exceeded. */
export function firstRateHit(
  [first, ...others]: readonly RateCounter[],
  counts: Counts,
  now: number,
): RateHit | undefined | Promise<RateHit | undefined> {
  if (first === undefined) return undefined
  const judge = (sum: number): ReturnType<typeof firstRateHit> =>
    sum >= first.limit.max ? hitOf(first, counts, now) : firstRateHit(others, counts, now)
  const sum = counts.sum(first.name, now - first.limit.perMs + 1)
  return typeof sum === 'number' ? judge(sum) : sum.then(judge)
}

/** The first limit that is exceeded once this call is counted: another process may have counted a call concurrently. */
export async function firstOverrun(
  counters: readonly RateCounter[],
  counts: Counts,
  now: number,
): Promise<RateLimit | undefined> {
  for (const { name, limit } of counters) if ((await counts.sum(name, now - limit.perMs + 1)) > limit.max) return limit
  return undefined
}

async function hitOf({ name, limit }: RateCounter, counts: Counts, now: number): Promise<RateHit> {
  return { limit, freeAt: await freeAt(name, limit, { counts, now }) }
}

/** The first time at which enough calls have left the window. Found by bisection, because a counter only returns sums; computed only for a refused call. */
async function freeAt(
  name: string,
  { max, perMs }: RateLimit,
  { counts, now }: { counts: Counts; now: number },
): Promise<number> {
  if (max === 0) return Number.POSITIVE_INFINITY
  let low = now - perMs + 1
  let high = now + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((await counts.sum(name, middle)) < max) high = middle
    else low = middle + 1
  }
  return low + perMs - 1
}

/** Describes the limit and when to try again. */
export function describeRate({ limit, freeAt: at }: RateHit, now: number): string {
  const whose = limit.per === 'all' ? 'everyone together' : limit.per === 'run' ? 'one run' : 'one identity'
  const what = `At most ${limit.max} calls of "${limit.tool}" in ${seconds(limit.perMs)} for ${whose}.`
  if (!Number.isFinite(at)) return `${what} None is allowed.`
  return `${what} Try again in ${seconds(Math.max(1, at - now))}.`
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.ceil(ms / 1_000)} s`
}
