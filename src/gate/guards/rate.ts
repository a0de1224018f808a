import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import { countersFor, describeRate, firstRateHit } from '../budget/rates.ts'
import type { RateHit } from '../budget/rates.ts'

/** Denies a call that exceeds a rate limit. It only checks: the kernel counts, and checks again when it does. */
export const rateGuard: Guard = {
  name: 'rate',
  appliesTo: ({ rates }) => rates !== undefined && rates.length > 0,
  check: checkRate,
}

function checkRate(view: GateView): GuardVerdict | Promise<GuardVerdict> {
  const { effect, identity, counts, now } = view
  const counters = countersFor(view.mandate, {
    kind: effect.kind,
    name: effect.name,
    identity,
    runId: view.runId ?? '',
  })
  if (counters.length === 0) return undefined
  if (counts === undefined) {
    const reason = 'Nothing counts calls here, so `rates` of the mandate cannot be kept. Give the gate `counts`.'
    return { verdict: 'deny', rule: 'uncounted', code: 'RATE_LIMITED', reason }
  }
  const hit = firstRateHit(counters, counts, now)
  return hit instanceof Promise ? hit.then((late) => verdictOf(late, now)) : verdictOf(hit, now)
}

function verdictOf(hit: RateHit | undefined, now: number): GuardVerdict {
  if (hit === undefined) return undefined
  return { verdict: 'deny', rule: hit.limit.tool, code: 'RATE_LIMITED', reason: describeRate(hit, now) }
}
