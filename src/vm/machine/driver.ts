import { live } from '../meter/live.ts'
import type { Guest } from '../value/guest.ts'
import { REJECTED } from '../value/guest-promise.ts'
import { GOT_THROW, GOT_VALUE, NEXT, NO_CALL_KEY, SUSPEND, WHY_AWAIT, WHY_CALL, WHY_GIVE } from './activation.ts'
import type { Activation } from './activation.ts'
import { caught } from './caught.ts'
import { settle } from './settle.ts'

/**
 * Runs an activation and the calls it makes until nothing is left to run. Returns the activation to continue with
 * when the machine yields to the event loop.
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
      // Programs that only recurse never reach the back edge of a loop.
      if (live.overdue && live.machine.shouldYield()) break
    } else if (active.why === WHY_AWAIT) current = live.machine.waiting.park(active)
    else if (active.why === WHY_GIVE) current = give(active)
    else break
  }
  live.depth = base
  return current
}

function give(active: Activation): Activation | null {
  const { awaited } = active
  active.awaited = undefined
  return active.generator!.given(awaited)
}

/** Hands the promise of an `async` function to its caller, once. */
export function detach(active: Activation): Activation | null {
  const { caller } = active
  active.caller = null
  if (caller !== null) {
    caller.callee = null
    caller.label = 0
    caller.receive(active.promise, GOT_VALUE)
  }
  return caller
}

function finish(active: Activation, value: Guest): Activation | null {
  if (active.promise !== null) {
    active.promise.label |= live.label
    live.machine.waiting.resolve(active.promise, value)
    return detach(active)
  }
  return giveBack(active, value, GOT_VALUE)
}

function fail(active: Activation, value: Guest): Activation | null {
  if (active.promise !== null) {
    active.promise.label |= live.label | live.pc
    settle(active.promise, REJECTED, value)
    return detach(active)
  }
  return giveBack(active, value, GOT_THROW)
}

function giveBack(active: Activation, value: Guest, got: 1 | 2): Activation | null {
  const { caller } = active
  if (caller === null) return active.generator === null ? null : active.generator.ended(value, got)
  if (active.callKey !== NO_CALL_KEY)
    live.machine.callUnits.set(active.callKey, live.machine.unitsUsedNow() - active.unitsBefore)
  caller.callee = null
  caller.label = got === GOT_THROW ? live.label | live.pc : live.label
  caller.receive(value, got)
  return caller
}
