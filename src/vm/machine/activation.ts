import type { Guest } from '../value/guest.ts'
import type { Code, Frame } from '../value/guest-function.ts'
import type { GuestPromise, Waiter } from '../value/guest-promise.ts'

/** Completions of statements that are no values. */
export const NEXT: unique symbol = Symbol('next') as never
export const BREAK: unique symbol = Symbol('break') as never
export const CONTINUE: unique symbol = Symbol('continue') as never
/** The activation says itself why it stopped. */
export const SUSPEND: unique symbol = Symbol('suspend') as never

export const WHY_AWAIT = 1
export const WHY_CALL = 2
export const WHY_YIELD = 3

export const GOT_NOTHING = 0
export const GOT_VALUE = 1
export const GOT_THROW = 2

/** Near the top it does not matter what calls cost. */
export const NO_CALL_KEY: number = Number.MIN_SAFE_INTEGER

/** One call of a function that can be put aside: all there is of it is here and in its frame. */
export class Activation implements Waiter {
  readonly code: Code
  readonly frame: Frame
  /** The activation that receives the result; none once an `async` function has returned its promise. */
  caller: Activation | null
  /** What an `async` function gave. */
  readonly promise: GuestPromise | null
  /** Calls under it that can be put aside, itself included. */
  readonly level: number
  /** Nesting up to and with this call. */
  readonly depth: number
  why = 0
  awaited: Guest = undefined
  callee: Activation | null = null
  received: Guest = undefined
  got: 0 | 1 | 2 = GOT_NOTHING
  isStarted = false
  /** Where the machine keeps what such calls cost, if anywhere, and the units used before this one. */
  callKey: number = NO_CALL_KEY
  unitsBefore = 0
  /** Labels of what it received; before it has begun, those of what decided that it does. */
  label = 0

  constructor(code: Code, frame: Frame, caller: Activation | null, promise: GuestPromise | null) {
    this.code = code
    this.frame = frame
    this.caller = caller
    this.promise = promise
    this.level = caller === null ? 0 : caller.level + 1
    this.depth = (caller === null ? 0 : caller.depth) + code.nest
    frame[1] = this
  }

  settled(promise: GuestPromise): void {
    this.label = promise.label
    this.receive(promise.value, promise.state as 1 | 2)
  }

  receive(value: Guest, got: 1 | 2): void {
    this.received = value
    this.got = got
  }
}
