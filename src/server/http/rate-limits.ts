import { monotonicNow, systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'

const MINUTE_MS = 60_000
/** The maximum number of callers that are tracked; the least recently seen one is evicted. */
const CALLERS_MAX = 10_000

/** A token bucket per caller. It allows a burst of one minute's worth of requests, and refills evenly. */
export class RateLimit {
  readonly #perMinute: number
  readonly #clock: Clock
  readonly #callers = new Map<string, { left: number; at: number }>()

  constructor(perMinute: number, clock: Clock = systemClock) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  /** Takes one token. If none is left, returns the number of seconds until the next one. */
  take(caller: string): number | undefined {
    const now = monotonicNow(this.#clock)
    const known = this.#callers.get(caller)
    const refilled =
      known === undefined ? this.#perMinute : known.left + ((now - known.at) / MINUTE_MS) * this.#perMinute
    const left = Math.min(this.#perMinute, refilled)
    this.#callers.delete(caller)
    this.#callers.set(caller, { left: left >= 1 ? left - 1 : left, at: now })
    if (this.#callers.size > CALLERS_MAX) this.#callers.delete(this.#callers.keys().next().value!)
    return left >= 1 ? undefined : Math.ceil(((1 - left) * MINUTE_MS) / this.#perMinute / 1_000)
  }
}
