import type { Guest } from '../value/guest.ts'
import type { Code, Frame } from '../value/guest-function.ts'
import type { GuestPromise, Waiter } from '../value/guest-promise.ts'

/** Completions of statements other than a returned value. */
export const NEXT: unique symbol = Symbol('next') as never
export const BREAK: unique symbol = Symbol('break') as never
export const CONTINUE: unique symbol = Symbol('continue') as never
/** The reason is in the activation (`why`). */
export const SUSPEND: unique symbol = Symbol('suspend') as never

export const WHY_AWAIT = 1
export const WHY_CALL = 2
export const WHY_YIELD = 3
/** A generator yields a value. */
export const WHY_GIVE = 4

export const GOT_NOTHING = 0
export const GOT_VALUE = 1
export const GOT_THROW = 2
/** The consumer of a generator requests a return. */
export const GOT_RETURN = 3

export type Got = typeof GOT_VALUE | typeof GOT_THROW | typeof GOT_RETURN

/** The generator of an activation. It receives what the function yields, returns and throws. */
export interface Giver {
  given(value: Guest): Activation | null
  ended(value: Guest, got: Got): Activation | null
}

/** The key of calls near the top of the stack, whose cost is not recorded. */
export const NO_CALL_KEY: number = Number.MIN_SAFE_INTEGER

/** One suspendable call of a function: its whole state is here and in its frame. */
export class Activation implements Waiter {
  readonly code: Code
  readonly frame: Frame
  /** The activation that receives the result; none once an `async` function has returned its promise. */
  caller: Activation | null
  /** The promise of an `async` function. */
  readonly promise: GuestPromise | null
  generator: Giver | null = null
  /** Number of suspendable calls on this stack, itself included. */
  readonly level: number
  /** Call depth, this call included. */
  readonly depth: number
  why = 0
  awaited: Guest = undefined
  callee: Activation | null = null
  received: Guest = undefined
  got: 0 | Got = GOT_NOTHING
  isStarted = false
  /** The key under which the machine records the cost of such calls, if it does, and the units used before this call. */
  callKey: number = NO_CALL_KEY
  unitsBefore = 0
  /** Label of the received outcome; before the start, the program counter label it starts with. */
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

  receive(value: Guest, got: Got): void {
    this.received = value
    this.got = got
  }
}
