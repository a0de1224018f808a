import { live } from '../meter/live.ts'
import { Stop, limitStop } from '../meter/stop.ts'
import type { Guest } from '../value/guest.ts'
import { Thrown } from '../value/thrown.ts'

/** The value that was thrown, if a program may catch it; everything else goes on up. */
export function caught(error: unknown): Guest {
  if (error instanceof Thrown) return error.value
  if (error instanceof Stop) throw error
  // The counters bound native depth; this is the second line, for hosts that gave the VM a small stack.
  if (error instanceof RangeError && /call stack/i.test(error.message))
    throw limitStop('callDepth', live.machine.limits.callDepth)
  throw error
}
