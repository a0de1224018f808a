import type { LightEntry } from '../../journal/run-store.ts'

/** A time in which the run did nothing: it waited for a person or a moment, its process was gone, or it is a fork that was made later. */
export interface Idle {
  readonly from: number
  readonly to: number
}

/** Shorter ones are shown as they are. */
const IDLE_MS = 1_000
/** What is left of one, as a share of the time in which the run worked. */
const SHOWN_SHARE = 0.03

type Moment = Pick<LightEntry, 'at' | 'type' | 'key'>

/** Where nothing was under way between an entry and the next, kept up with the entries as they come. */
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

/** What was found in entries before: lists of them only grow, and runs are long. */
const known = new WeakMap<readonly Moment[], IdleTimes>()

export function idlesOf(entries: readonly Moment[]): readonly Idle[] {
  const times = known.get(entries) ?? new IdleTimes()
  known.set(entries, times)
  return times.take(entries)
}

/** The axis of a timeline: times in which nothing happened are cut down to a mark, so that what happened can be seen. */
export class TimeScale {
  readonly idles: readonly Idle[]
  readonly #shown: number
  /** How much was cut out before each of the idle times. */
  readonly #cuts: readonly number[]
  /** How long nothing happened before each of them. */
  readonly #before: readonly number[]

  constructor(idles: readonly Idle[], { from, to }: Idle) {
    this.idles = [...idles]
    const idle = idles.reduce((sum, each) => sum + each.to - each.from, 0)
    // A power of two: the axis stays the same while a run goes on, except now and then.
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

  /** Whether everything has the same place on both: idle times are only ever added. */
  isLike(other: TimeScale): boolean {
    return other.idles.length === this.idles.length && other.#shown === this.#shown
  }

  /** Where a moment is on the axis. */
  readonly place = (at: number): number => {
    const index = this.#lastBefore(at)
    if (index < 0) return at
    const { from, to } = this.idles[index]!
    const share = Math.min(1, (at - from) / (to - from))
    return at - this.#cuts[index]! - share * (to - from - this.#shown)
  }

  /** How much of a time something was under way: what waited for a person did not take so long itself. */
  readonly worked = (from: number, to: number): number => to - from - (this.#idleBefore(to) - this.#idleBefore(from))

  #idleBefore(at: number): number {
    const index = this.#lastBefore(at)
    if (index < 0) return 0
    const { from, to } = this.idles[index]!
    return this.#before[index]! + Math.min(at, to) - from
  }

  /** The last idle time that began before a moment: every bar asks, and there may be thousands of both. */
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
