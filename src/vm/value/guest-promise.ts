import type { Activation } from '../machine/activation.ts'
import type { Guest } from './guest.ts'

export const PENDING = 0
export const FULFILLED = 1
export const REJECTED = 2

/** What happens when a promise settles. Each kind is plain data with a class. */
export interface Waiter {
  /** Runs as a job once the promise has settled. */
  settled(promise: GuestPromise): void
  /** What the job goes on with, where it began a call that can be put aside. */
  readonly begun?: Activation | undefined
}

export class GuestPromise {
  state: 0 | 1 | 2 = PENDING
  value: Guest = undefined
  waiters: Waiter[] | null = null
  /** The request it stands for, 0 for none. */
  request = 0
  /** Whether its resolver was called: it settles once, even if with another promise. */
  isResolved = false
  /** Whether it was ever awaited: an unhandled rejection is a warning. */
  isHandled = false
  /** Reserved for data-flow labels: an interned set, 0 is clean. */
  label = 0
}
