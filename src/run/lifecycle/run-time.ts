import { monotonicNow } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'

/** The time in which a run is driven. Monotonic: it does not follow changes of the date. */
export class RunTime {
  /** The time of earlier segments. */
  before: number
  readonly #clock: Clock
  readonly #start: number

  constructor(clock: Clock, before: number) {
    this.#clock = clock
    this.before = before
    this.#start = monotonicNow(clock)
  }

  get activeMs(): number {
    return this.before + Math.max(0, monotonicNow(this.#clock) - this.#start)
  }
}
