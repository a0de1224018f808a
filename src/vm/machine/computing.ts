import { live } from '../meter/live.ts'
import type { Guest } from '../value/guest.ts'
import { FULFILLED, REJECTED } from '../value/guest-promise.ts'
import { NEXT, SUSPEND } from './activation.ts'
import type { Activation } from './activation.ts'
import { caught } from './caught.ts'
import { settle } from './settling.ts'

/** Runs the one activation of a program that only computes; gives it back when the machine wants to let the host have its turn. */
export function driveAlone(active: Activation): Activation | null {
  const base = live.depth
  live.depth = base + active.depth
  try {
    const completion = active.code.resumable()(active.frame)
    if (completion === SUSPEND) return active
    settle(active.promise!, FULFILLED, completion === NEXT ? undefined : (completion as Guest))
  } catch (error) {
    settle(active.promise!, REJECTED, caught(error))
  } finally {
    live.depth = base
  }
  return null
}
