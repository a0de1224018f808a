import { burn, charge } from '../meter/live.ts'
import type { Guest } from './guest.ts'
import { GuestError } from './guest-object.ts'
import { noteMade } from './text/text.ts'

/** Carries a guest exception through host code. Not an `Error`, because capturing a stack trace is slow. */
export class Thrown {
  readonly value: Guest
  constructor(value: Guest) {
    this.value = value
  }
}

/** Makes an error object. */
export function newError(name: string, message: string): GuestError {
  // A long message is a guest text and charged already.
  charge(128 + Math.min(message.length, 256))
  noteMade(message)
  return new GuestError(name, message)
}

/** Units of a host-made error, about the time V8 needs to throw and catch. */
const THROW_UNITS = 2_000

/** An exception that programs may catch: `throw thrown('TypeError', '…')`. */
export function thrown(name: string, message: string): unknown {
  burn(THROW_UNITS)
  return new Thrown(newError(name, message))
}

/** An exception that carries a guest value: `throw carry(value)`. */
export function carry(value: Guest): unknown {
  return new Thrown(value)
}
