import { failed } from '../../core/index.ts'
import { describeLimit } from '../../gate/index.ts'
import type { LimitHit } from '../../gate/index.ts'
import type { Spend } from '../../journal/index.ts'
import type { Fault } from './attempt.ts'
import { bounded } from './bounded-wait.ts'
import { plainError } from '../lifecycle/failure.ts'
import type { Ending, Permit, Request } from './perform.ts'
import type { Parked } from '../performers/performer.ts'
import { countAttempt } from './rate-limits.ts'

/** Waits before the next attempt and reserves for it; returns the ending of the effect if there is no next attempt. */
export async function beforeNext(
  request: Request,
  permit: Permit,
  fault: Fault,
  number: number,
): Promise<Ending | undefined> {
  const { run, key, performer, isWithin } = request
  if (run.signal.aborted || request.task?.isClosed === true) return fault.ending
  const decision = await performer.retry?.(fault.error, number, fault.call)
  if (decision?.again !== true || run.signal.aborted || run.ended) return afterAttempts(fault.ending, number)
  const reason = plainError(fault.error, 'INTERNAL').message
  const limited = await countAttempt(request)
  if (limited !== undefined) return tooManyAttempts(limited, reason, fault.ending.spent)
  if (run.signal.aborted || run.ended) return fault.ending
  const { counted, hit } = permit.renew(fault.ending.spent ?? {})
  if (hit !== undefined) return noAttemptLeft(hit, reason, fault.ending.spent)
  run.writer.add('effect-retry', key, {
    ...{ attempt: number + 1, reason, waitMs: decision.waitMs, spent: counted },
    ...run.stamp(),
  })
  // Listeners that displayed text of the failed attempt must discard it.
  run.emit('stream-reset', { attempt: number + 1, reason }, key)
  let stop: () => void = () => {}
  const waited = new Promise<void>((resolve) => {
    stop = run.onClose(run.host.clock.timer(decision.waitMs, resolve))
  })
  // The next attempt checks whether the run was aborted.
  await bounded({ run, key, isWithin, what: 'The pause before the next attempt' }, waited).catch(() => {})
  stop()
  return undefined
}

/** The ending of the last of several attempts says how many there were: without a listener nothing else shows it. */
function afterAttempts(ending: Ending, number: number): Ending {
  const { outcome } = ending
  if (number === 1 || outcome.status !== 'failed') return ending
  const message = `${outcome.error.message} (${number} attempts)`
  return { ...ending, outcome: { ...outcome, error: { ...outcome.error, message } } }
}

/** The ending of an effect whose last attempt failed, where another attempt does not fit into the budget. */
export function noAttemptLeft(hit: LimitHit, reason: string, spent: Spend | undefined): Ending {
  const message = `${reason} It was not tried again. ${describeLimit(hit)}`
  return { outcome: failed('LIMIT_EXCEEDED', message, hit), spent }
}

/** The same where a rate limit forbids another attempt. */
export function tooManyAttempts(limited: string, reason: string, spent: Spend | undefined): Ending {
  return { outcome: failed('RATE_LIMITED', `${reason} It was not tried again. ${limited}`), spent }
}

/** Parks an effect that waits for something outside, and frees its slot meanwhile. */
export async function wait({ run, key, slots }: Request, parked: Parked): Promise<void> {
  slots.release()
  let stop: () => void = () => {}
  await new Promise<void>((resolve) => {
    stop = run.onClose(parked.wake(resolve))
    run.park({
      key,
      reason: parked.parked,
      pending: parked.pending,
      wakeAt: parked.wakeAt,
      live: false,
      release: () => resolve(),
    })
  })
  stop()
  run.unpark(key)
  await slots.acquire()
}
