import { burn, charge } from '../meter/live.ts'
import type { Guest } from './guest.ts'
import { GuestError } from './guest-object.ts'
import { noteMade } from './text/text.ts'

/** Carries a value that a program threw through our code. Not an `Error`: taking a stack trace would cost more than the program. */
export class Thrown {
  readonly value: Guest
  constructor(value: Guest) {
    this.value = value
  }
}

/** Makes an error object. */
export function newError(name: string, message: string): GuestError {
  // A long message is a text of the program, which has been paid for.
  charge(128 + Math.min(message.length, 256))
  noteMade(message)
  return new GuestError(name, message)
}

/** Units for an error of ours: the platform takes about as long to throw and catch it as for so much arithmetic. */
const THROW_UNITS = 2_000

/** Makes what to throw for an error that programs may catch: `throw thrown('TypeError', '…')`. */
export function thrown(name: string, message: string): unknown {
  burn(THROW_UNITS)
  return new Thrown(newError(name, message))
}

/** Makes what to throw for a value that a program throws: `throw carry(value)`. */
export function carry(value: Guest): unknown {
  return new Thrown(value)
}
