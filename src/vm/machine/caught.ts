import { live } from '../meter/live.ts'
import { Stop, limitStop } from '../meter/stop.ts'
import type { Guest } from '../value/guest.ts'
import { Thrown } from '../value/thrown.ts'

/** The thrown value, if guest code may catch it; everything else is rethrown. */
export function caught(error: unknown): Guest {
  if (error instanceof Thrown) return error.value
  if (error instanceof Stop) throw error
  // The counters bound the native depth. This handles hosts that run the VM with a small stack.
  if (error instanceof RangeError && /call stack/i.test(error.message))
    throw limitStop('callDepth', live.machine.limits.callDepth)
  throw error
}
