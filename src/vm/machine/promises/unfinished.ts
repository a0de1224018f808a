import { PENDING } from '../../value/guest-promise.ts'
import type { GuestPromise, Waiter } from '../../value/guest-promise.ts'
import { Activation } from '../activation.ts'

/** Whether a program continues when a call settles, because the call has not lost every race that it was in. True also for a call that nothing awaits. */
export function isUnfinished(call: GuestPromise): boolean {
  const found = new Set([call])
  for (const { waiters } of found) {
    if (waiters === null || waiters.length === 0) return true
    for (const waiter of waiters) {
      const result = resultOf(waiter)
      if (result?.state === PENDING) found.add(result)
      else if (waiter.isRacer !== true) return true
    }
  }
  return false
}

/** Whether more than the callback of a timer waits for a promise. */
export function isAwaited({ waiters }: GuestPromise): boolean {
  return (waiters ?? []).some((waiter) => resultOf(waiter) !== undefined)
}

function resultOf(waiter: Waiter): GuestPromise | null | undefined {
  return waiter instanceof Activation ? waiter.promise : waiter.result
}
