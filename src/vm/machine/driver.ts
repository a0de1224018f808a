import { charge, live } from '../meter/live.ts'
import { Stop, limitStop } from '../meter/stop.ts'
import type { Guest } from '../value/guest.ts'
import type { Code, Frame } from '../value/guest-function.ts'
import type { GuestPromise } from '../value/guest-promise.ts'
import { Thrown } from '../value/thrown.ts'
import { Activation, GOT_THROW, GOT_VALUE, NEXT, SUSPEND, WHY_AWAIT, WHY_CALL } from './activation.ts'
import { newPromise, reject, resolve, subscribe } from './promises.ts'

export const ACTIVATION_BYTES = 160

/** The value that was thrown, if a program may catch it; everything else goes on up. */
export function caught(error: unknown): Guest {
  if (error instanceof Thrown) return error.value
  if (error instanceof Stop) throw error
  // The counters bound native depth; this is the second line, for hosts that gave the VM a small stack.
  if (error instanceof RangeError && /call stack/i.test(error.message))
    throw limitStop('callDepth', live.machine.limits.callDepth)
  throw error
}

/**
 * Runs an activation, and the calls it makes, until there is nothing more to run. Gives back the activation to go on with
 * when the machine wants to let the host have its turn.
 */
export function drive(start: Activation): Activation | null {
  const base = live.depth
  let current: Activation | null = start
  while (current !== null) {
    const active: Activation = current
    live.depth = base + active.depth
    let completion: unknown
    try {
      completion = active.code.resumable()(active.frame)
    } catch (error) {
      current = fail(active, caught(error))
      continue
    }
    if (completion !== SUSPEND) current = finish(active, completion === NEXT ? undefined : (completion as Guest))
    else if (active.why === WHY_CALL) {
      current = active.callee
      // Programs that only call never come to the back edge of a loop.
      if (live.overdue && live.machine.shouldYield()) break
    } else if (active.why === WHY_AWAIT) current = park(active)
    else break
  }
  live.depth = base
  return current
}

/** Hands the promise of an `async` function to its caller, once. */
function detach(active: Activation): Activation | null {
  const { caller } = active
  active.caller = null
  if (caller !== null) {
    caller.callee = null
    caller.label = 0
    caller.receive(active.promise, GOT_VALUE)
  }
  return caller
}

function park(active: Activation): Activation | null {
  const { awaited } = active
  active.awaited = undefined
  subscribe(awaited, active)
  return active.promise === null ? null : detach(active)
}

function finish(active: Activation, value: Guest): Activation | null {
  if (active.promise !== null) {
    active.promise.label |= live.lab
    resolve(active.promise, value)
    return detach(active)
  }
  return giveBack(active, value, GOT_VALUE)
}

function fail(active: Activation, value: Guest): Activation | null {
  if (active.promise !== null) {
    active.promise.label |= live.lab | live.pc
    reject(active.promise, value)
    return detach(active)
  }
  return giveBack(active, value, GOT_THROW)
}

function giveBack(active: Activation, value: Guest, got: 1 | 2): Activation | null {
  const { caller } = active
  if (caller === null) return null
  if (active.callKey >= 0) live.machine.callUnits.set(active.callKey, live.machine.unitsUsedNow() - active.unitsBefore)
  caller.callee = null
  caller.label = got === GOT_THROW ? live.lab | live.pc : live.lab
  caller.receive(value, got)
  return caller
}

/** Starts an `async` function that was called from code that cannot be put aside: up to its first wait it runs here. */
export function startAsync(code: Code, frame: Frame): GuestPromise {
  charge(ACTIVATION_BYTES + frame.length * 8)
  const promise = newPromise()
  const active = new Activation(code, frame, null, promise)
  const { machine } = live
  machine.nativeDepth += 1
  drive(active)
  machine.nativeDepth -= 1
  return promise
}
