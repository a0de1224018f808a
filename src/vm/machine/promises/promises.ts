import { COST } from '../../meter/cost.ts'
import { burn, charge, live } from '../../meter/live.ts'
import { refused } from '../../meter/stop.ts'
import type { Guest } from '../../value/guest.ts'
import { readProperty } from '../../value/prototypes/lookup.ts'
import { GuestObject } from '../../value/guest-object.ts'
import { FULFILLED, GuestPromise, PENDING, REJECTED } from '../../value/guest-promise.ts'
import type { Waiter } from '../../value/guest-promise.ts'
import { isCallable } from '../../value/convert.ts'
import { newError } from '../../value/thrown.ts'
import { settle } from '../settle.ts'

const PROMISE_BYTES = 96

export function newPromise(): GuestPromise {
  charge(PROMISE_BYTES)
  burn(COST.allocate * 3)
  return new GuestPromise()
}

/** Resolves a promise; with a promise as value, it follows that one. */
export function resolve(promise: GuestPromise, value: Guest): void {
  if (value === promise) settle(promise, REJECTED, newError('TypeError', 'Chaining cycle detected for promise'))
  else if (value instanceof GuestPromise) live.machine.waiting.enqueue(new FollowSoon(promise), value)
  else if (value instanceof GuestObject && isCallable(readProperty(value, 'then')))
    throw refused('Objects with a `then` function are not awaited here. Return a promise instead.')
  else settle(promise, FULFILLED, value)
}

export function reject(promise: GuestPromise, value: Guest): void {
  settle(promise, REJECTED, value)
}

/** The promise for a value: itself, if it is one. */
export function promiseFor(value: Guest): GuestPromise {
  if (value instanceof GuestPromise) return value
  const promise = newPromise()
  resolve(promise, value)
  return promise
}

/** Queues a waiter as a job once the value is settled. */
export function subscribe(value: Guest, waiter: Waiter): void {
  const promise = promiseFor(value)
  promise.isHandled = true
  // Labelled data may have settled it in one execution and left it open in another.
  if (promise.label !== 0) live.machine.flow?.noteUnsettledWaiter(waiter, promise.label)
  if (promise.state === PENDING) {
    charge(16)
    // Usually there is one waiter; a growing array would over-allocate.
    if (promise.waiters === null) promise.waiters = [waiter]
    else promise.waiters.push(waiter)
  } else live.machine.waiting.enqueue(waiter, promise)
}

/** A waiter that settles one promise like another. */
export class Follow implements Waiter {
  readonly result: GuestPromise
  constructor(result: GuestPromise) {
    this.result = result
  }
  get isRacer(): boolean {
    return true
  }
  settled(promise: GuestPromise): void {
    this.result.label |= promise.label
    settle(this.result, promise.state as 1 | 2, promise.value)
  }
}

/** The same, one job later, as JavaScript does when a promise is resolved with a promise. */
class FollowSoon implements Waiter {
  readonly result: GuestPromise
  constructor(result: GuestPromise) {
    this.result = result
  }
  settled(promise: GuestPromise): void {
    subscribe(promise, new Follow(this.result))
  }
}
