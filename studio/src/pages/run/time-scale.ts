import type { LightEntry } from '../../journal/run-store.ts'

/** A period without activity of the run: it waited for a person or a timer, its process was down, or it is a fork that was made later. */
export interface Idle {
  readonly from: number
  readonly to: number
}

/** Minimum length; shorter periods are not shortened. */
const IDLE_MS = 1_000
/** Length of a shortened period as a share of the active time of the run. */
const SHOWN_SHARE = 0.03

type Moment = Pick<LightEntry, 'at' | 'type' | 'key'>

/** Finds the periods between entries without an effect in progress; updated incrementally with new entries. */
class IdleTimes {
  readonly found: Idle[] = []
  readonly #open = new Set<string>()
  #count = 0
  #from: number | undefined

  take(entries: readonly Moment[]): readonly Idle[] {
    for (; this.#count < entries.length; this.#count += 1) this.#apply(entries[this.#count]!)
    return this.found
  }

  #apply({ at, type, key = '' }: Moment): void {
    const isIdle = this.#open.size === 0 || type === 'run-resume'
    if (this.#from !== undefined && isIdle && at - this.#from >= IDLE_MS) this.found.push({ from: this.#from, to: at })
    if (type === 'effect-start') this.#open.add(key)
    else if (type === 'effect-end') this.#open.delete(key)
    else if (type === 'run-suspend') this.#open.clear()
    this.#from = Math.max(this.#from ?? at, at)
  }
}

/** Cache of the found periods. The lists of entries only grow, and runs are long. */
const known = new WeakMap<readonly Moment[], IdleTimes>()

export function idlesOf(entries: readonly Moment[]): readonly Idle[] {
  const times = known.get(entries) ?? new IdleTimes()
  known.set(entries, times)
  return times.take(entries)
}

/** The time axis of a timeline. Idle periods are shortened to a mark, so that the active time is visible. */
export class TimeScale {
  readonly idles: readonly Idle[]
  readonly #shown: number
  /** The time cut out before each idle period. */
  readonly #cuts: readonly number[]
  /** The idle time before each idle period. */
  readonly #before: readonly number[]

  constructor(idles: readonly Idle[], { from, to }: Idle) {
    this.idles = [...idles]
    const idle = idles.reduce((sum, each) => sum + each.to - each.from, 0)
    // Rounded to a power of two, so that the axis rarely changes while a run continues.
    const share = Math.max(1, (to - from - idle) * SHOWN_SHARE)
    this.#shown = Math.min(IDLE_MS, 2 ** Math.round(Math.log2(share)))
    let waited = 0
    this.#before = idles.map((each) => {
      const before = waited
      waited += each.to - each.from
      return before
    })
    let cut = 0
    this.#cuts = idles.map((each) => {
      const before = cut
      cut += each.to - each.from - this.#shown
      return before
    })
  }

  /** Whether both scales have the same positions. Comparing counts is enough, because idle periods are only ever added. */
  isLike(other: TimeScale): boolean {
    return other.idles.length === this.idles.length && other.#shown === this.#shown
  }

  /** Returns the position of a time on the axis. */
  readonly place = (at: number): number => {
    const index = this.#lastBefore(at)
    if (index < 0) return at
    const { from, to } = this.idles[index]!
    const share = Math.min(1, (at - from) / (to - from))
    return at - this.#cuts[index]! - share * (to - from - this.#shown)
  }

  /** Returns the active time within a period, without idle periods such as waiting for a person. */
  readonly worked = (from: number, to: number): number => to - from - (this.#idleBefore(to) - this.#idleBefore(from))

  #idleBefore(at: number): number {
    const index = this.#lastBefore(at)
    if (index < 0) return 0
    const { from, to } = this.idles[index]!
    return this.#before[index]! + Math.min(at, to) - from
  }

  /** Returns the index of the last idle period that began before a time. Uses binary search, because every bar calls it and there may be thousands of both. */
  #lastBefore(at: number): number {
    let [low, high] = [0, this.idles.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.idles[middle]!.from < at) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}
