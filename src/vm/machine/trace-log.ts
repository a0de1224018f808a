import { UNITS_PER_FUEL } from '../meter/live.ts'
import type { TracedStep } from '../meter/live.ts'
import type { TraceEntry } from './result.ts'

/** The steps that ran, up to a number of them. */
export class TraceLog {
  readonly entries: TraceEntry[] = []
  dropped = 0
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  add({ op, path, at, before, isFailed }: TracedStep, unitsNow: number): void {
    if (this.entries.length >= this.#max) {
      this.dropped += 1
      return
    }
    const where = { ...(path !== undefined && { path }), ...(at !== undefined && { line: at[0] }) }
    this.entries.push({
      op,
      ...where,
      fuelBefore: before,
      fuelAfter: unitsNow / UNITS_PER_FUEL,
      ...(isFailed && { isFailed }),
    })
  }
}
