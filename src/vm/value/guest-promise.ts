import type { Activation } from '../machine/activation.ts'
import type { Guest } from './guest.ts'

export const PENDING = 0
export const FULFILLED = 1
export const REJECTED = 2

/** A reaction to the settlement of a promise. */
export interface Waiter {
  /** Runs as a job once the promise has settled. */
  settled(promise: GuestPromise): void
  /** The suspendable call that the job started, if any. */
  readonly begun?: Activation | undefined
  /** The functions that the job may call. */
  readonly callbacks?: readonly Guest[]
  /** The promise that settles in consequence. */
  readonly result?: GuestPromise | undefined
  /** Whether others may settle that promise before this one does. */
  readonly isRacer?: boolean | undefined
}

export class GuestPromise {
  state: 0 | 1 | 2 = PENDING
  value: Guest = undefined
  waiters: Waiter[] | null = null
  /** The id of its request, 0 for none. */
  request = 0
  /** Whether its resolver was called: it settles once, even if with another promise. */
  isResolved = false
  /** Whether it was ever awaited: an unhandled rejection is a warning. */
  isHandled = false
  /** Label bit set; 0 is unlabelled. */
  label = 0
}
