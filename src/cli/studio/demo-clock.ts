import { systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'

/** A clock that runs behind by as much as it is told, so that runs of the past week can be made now. It only ever catches up. */
export class DemoClock implements Clock {
  #behind = 0

  /** From now on it is as long ago as this; less than before, because time does not go back. */
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
