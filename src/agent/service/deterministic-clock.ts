import { systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'

/**
 * Logical time: every read advances it by a millisecond, and a wait advances it by its duration.
 * Waits themselves take real time, so that timeouts, retries and cancellation work as they always do.
 */
export function deterministicClock(from = 0): Clock {
  let now = from
  return {
    now: () => (now += 1),
    timer(ms, fire) {
      const due = now + Math.max(ms, 0)
      return systemClock.timer(ms, () => {
        now = Math.max(now, due)
        fire()
      })
    },
  }
}
