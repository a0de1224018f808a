import { live } from '../meter/live.ts'
import type { Guest } from '../value/guest.ts'
import { PENDING, REJECTED } from '../value/guest-promise.ts'
import type { GuestPromise } from '../value/guest-promise.ts'

/** Settles a promise permanently and queues its waiters. */
export function settle(promise: GuestPromise, state: 1 | 2, value: Guest): void {
  if (promise.state !== PENDING) return
  promise.state = state
  promise.value = value
  const { waiters } = promise
  promise.waiters = null
  if (state === REJECTED && !promise.isHandled) live.machine.waiting.noteRejection(promise)
  if (waiters !== null) for (let i = 0; i < waiters.length; i++) live.machine.waiting.enqueue(waiters[i]!, promise)
}
