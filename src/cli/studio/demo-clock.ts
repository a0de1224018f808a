import { systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'

/** A clock that runs behind by a settable amount, so that runs of the past week can be created now. It is only set forward. */
export class DemoClock implements Clock {
  #behind = 0

  /** Sets how far the clock is behind. Each value must be smaller than the previous one, because time does not run backwards. */
  be(behind: { readonly hours: number }): void {
    this.#behind = behind.hours * 3_600_000
  }

  now(): number {
    return systemClock.now() - this.#behind
  }

  monotonic(): number {
    return systemClock.monotonic!()
  }

  timer(ms: number, fire: () => void, isIdle?: boolean): () => void {
    return systemClock.timer(ms, fire, isIdle)
  }
}
