import { IN_TRY, live } from '../../meter/live.ts'
import { BuiltinFunction } from '../../value/builtin-function.ts'
import { isCallable } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { newObject } from '../../value/guest-object.ts'
import { FULFILLED, REJECTED } from '../../value/guest-promise.ts'
import type { GuestPromise, Waiter } from '../../value/guest-promise.ts'
import { newError } from '../../value/thrown.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import type { Activation } from '../activation.ts'
import { caught } from '../caught.ts'
import { invoke0, invoke1 } from '../invoke.ts'
import { reject, resolve, subscribe } from './promises.ts'
import { settle } from '../settle.ts'
import { activationOf } from '../waits.ts'

/** Raises the effects of callbacks, before the call and after it: it may create what they write. */
function noteCallbacks({ callbacks }: Waiter, bits: number): void {
  for (const one of callbacks ?? []) live.machine.flow?.noteSkippedCallback(one, bits)
}

/** The waiter of `then` and `catch`. */
export class Reaction implements Waiter {
  readonly onFulfilled: Guest
  readonly onRejected: Guest
  readonly result: GuestPromise
  begun: Activation | undefined
  /** Program counter label at the subscription. */
  readonly label: number = live.pc

  constructor(onFulfilled: Guest, onRejected: Guest, result: GuestPromise) {
    this.onFulfilled = onFulfilled
    this.onRejected = onRejected
    this.result = result
  }

  get callbacks(): readonly Guest[] {
    return [this.onFulfilled, this.onRejected]
  }

  settled(promise: GuestPromise): void {
    const callback = promise.state === FULFILLED ? this.onFulfilled : this.onRejected
    const { flow } = live.machine
    const given = this.label | promise.label
    const settlement = flow === undefined ? given : given | flow.settlementLabel(promise)
    if (flow !== undefined) noteCallbacks(this, settlement)
    const done = decided(this.result, settlement, given)
    if (flow === undefined && callback instanceof GuestFunction && callback.code.isLong && !callback.code.isAsync)
      this.begun = activationOf(callback, [promise.value], this.result)
    else if (isCallable(callback)) attempt(this.result, () => resolve(this.result, invoke1(callback, promise.value)))
    else settle(this.result, promise.state as 1 | 2, promise.value)
    done()
    // In another execution the other callback may have been called instead.
    if (flow !== undefined) noteCallbacks(this, settlement)
  }
}

/** The waiter of `finally`. */
export class FinalReaction implements Waiter {
  readonly callback: Guest
  readonly result: GuestPromise
  readonly label: number = live.pc

  constructor(callback: Guest, result: GuestPromise) {
    this.callback = callback
    this.result = result
  }

  get callbacks(): readonly Guest[] {
    return [this.callback]
  }

  settled(promise: GuestPromise): void {
    const bits = this.label | promise.label
    noteCallbacks(this, bits)
    const done = decided(this.result, bits, bits)
    attempt(this.result, () => subscribe(invoke0(this.callback), new Pass(this.result, promise)))
    done()
    // The callback may have thrown early in another execution.
    noteCallbacks(this, bits)
  }
}

/** Passes on the settlement before `finally`, unless `finally` failed. */
class Pass implements Waiter {
  readonly result: GuestPromise
  readonly original: GuestPromise

  constructor(result: GuestPromise, original: GuestPromise) {
    this.result = result
    this.original = original
  }

  settled(promise: GuestPromise): void {
    this.result.label |= promise.label
    const { state, value } = promise.state === REJECTED ? promise : this.original
    settle(this.result, state as 1 | 2, value)
  }
}

const nothing = (): void => {}

/** Runs a callback under the label of the promise that triggered it; its result carries that label. */
export function decided(result: GuestPromise, bits: number, argument: number): () => void {
  if (live.machine.flow === undefined) return nothing
  const { callbackLabel: given } = live
  live.pc = bits | IN_TRY
  live.callbackLabel = argument & ~IN_TRY
  live.label = 0
  return () => {
    result.label |= live.callbackLabel | live.label | (live.pc & ~IN_TRY)
    live.callbackLabel = given
    live.pc = 0
  }
}

/** Runs a callback. An exception rejects the promise. */
export function attempt(promise: GuestPromise, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (live.isLabelled) promise.label |= (live.label | live.pc) & ~IN_TRY
    reject(promise, caught(error))
  }
}

export type GatherKind = 'all' | 'allSettled' | 'any'

/** The state of `Promise.all` and its variants. */
export class Gather {
  readonly kind: GatherKind
  readonly target: GuestPromise
  readonly values: GuestArray
  left: number

  constructor(kind: GatherKind, target: GuestPromise, count: number) {
    this.kind = kind
    this.target = target
    this.left = count
    this.values = new GuestArray(Array.from({ length: count }, () => undefined))
  }

  put(index: number, promise: GuestPromise): void {
    const isFulfilled = promise.state === FULFILLED
    const label = live.machine.flow?.gatherItem(this.values, index, promise.label) ?? 0
    if (this.kind === 'any' || (this.kind === 'all' && !isFulfilled)) this.target.label |= label
    if (this.kind === 'all' && !isFulfilled) return settle(this.target, REJECTED, promise.value)
    if (this.kind === 'any' && isFulfilled) return settle(this.target, FULFILLED, promise.value)
    this.values.items[index] = this.kind === 'allSettled' ? describe(promise) : promise.value
    this.left -= 1
    if (this.left === 0) this.finish()
  }

  finish(): void {
    if (this.kind !== 'any') return settle(this.target, FULFILLED, this.values)
    const error = newError('AggregateError', 'All promises were rejected')
    error.errors = this.values
    settle(this.target, REJECTED, error)
  }
}

function describe(promise: GuestPromise): Guest {
  const made = newObject()
  const isFulfilled = promise.state === FULFILLED
  made.set('status', isFulfilled ? 'fulfilled' : 'rejected')
  made.set(isFulfilled ? 'value' : 'reason', promise.value)
  return made
}

/** The waiter of one input of `Promise.all`. */
export class GatherSlot implements Waiter {
  readonly gather: Gather
  readonly index: number

  constructor(gather: Gather, index: number) {
    this.gather = gather
    this.index = index
  }

  get result(): GuestPromise {
    return this.gather.target
  }

  get isRacer(): boolean {
    return this.gather.kind === 'any'
  }

  settled(promise: GuestPromise): void {
    this.gather.put(this.index, promise)
  }
}

/** `resolve` or `reject` of `new Promise`. */
export class Resolver extends BuiltinFunction {
  promise: GuestPromise
  readonly rejects: boolean

  constructor(given: GuestPromise, rejects: boolean) {
    const act = (value: Guest): Guest => {
      const { promise } = this
      if (promise.isResolved) return undefined
      promise.isResolved = true
      if (rejects) reject(promise, value)
      else resolve(promise, value)
      return undefined
    }
    super(rejects ? 'reject' : 'resolve', {
      builtin: { name: '', cost: 200, arity: 1, call: (_receiver, args) => act(args[0]) },
    })
    this.promise = given
    this.rejects = rejects
  }
}
