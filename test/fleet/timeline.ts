import type { Clock } from '../../src/core/index.ts'

interface Moment {
  readonly at: number
  readonly order: number
  fire: (() => void) | undefined
}

/** Turns of the event loop without anything new after which everything waits for time to pass. */
const STILL_TURNS = 3

/** The time of a simulated fleet: a heap of what will happen, and nothing happens in between. */
export class Timeline {
  now: number
  /** How many things have happened: what no longer changes stands still. */
  activity = 0
  readonly #heap: Moment[] = []
  #order = 0

  constructor(start: number) {
    this.now = start
  }

  /** Calls back at that moment, in the order of the calls; the returned function takes it back. */
  at(time: number, fire: () => void): () => void {
    this.activity += 1
    const moment: Moment = { at: Math.max(time, this.now), order: this.#order++, fire }
    this.#push(moment)
    return () => void (moment.fire = undefined)
  }

  after(ms: number, fire: () => void): () => void {
    return this.at(this.now + Math.max(0, Math.ceil(ms)), fire)
  }

  /** The clock of one process: it may be wrong, and rings only as its process lets it. */
  clock(skewMs: number, pass: (fire: () => void) => void): Clock {
    return {
      now: () => this.now + skewMs,
      monotonic: () => this.now,
      timer: (ms, fire) => this.after(ms, () => pass(fire)),
    }
  }

  /** Lets time pass until nothing is left to happen or `isOver` says so. */
  async run(isOver: () => boolean): Promise<void> {
    for (let next = this.#heap[0]; next !== undefined && !isOver(); next = this.#heap[0]) {
      this.now = next.at
      while (this.#heap[0]?.at === this.now) this.#pop().fire?.()
      await this.#settle()
    }
  }

  async #settle(): Promise<void> {
    let seen = this.activity
    for (let still = 0; still < STILL_TURNS; still++) {
      await new Promise((resolve) => void setImmediate(resolve))
      if (this.activity !== seen) still = 0
      seen = this.activity
    }
  }

  #push(moment: Moment): void {
    const heap = this.#heap
    let index = heap.push(moment) - 1
    while (index > 0) {
      const above = (index - 1) >> 1
      if (isBefore(heap[above]!, moment)) break
      heap[index] = heap[above]!
      index = above
    }
    heap[index] = moment
  }

  #pop(): Moment {
    const heap = this.#heap
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let index = 0
    for (;;) {
      let below = 2 * index + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1
      if (isBefore(last, heap[below]!)) break
      heap[index] = heap[below]!
      index = below
    }
    heap[index] = last
    return first
  }
}

function isBefore(a: Moment, b: Moment): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

/** Whether a simulated process runs. A frozen one does everything later that it would have done meanwhile; a dead one does nothing more. */
export class Life {
  state: 'alive' | 'frozen' | 'dead' = 'alive'
  #held: (() => void)[] = []

  readonly pass = (fire: () => void): void => {
    if (this.state === 'alive') fire()
    else if (this.state === 'frozen') this.#held.push(fire)
  }

  freeze(): void {
    if (this.state === 'alive') this.state = 'frozen'
  }

  thaw(): void {
    if (this.state !== 'frozen') return
    this.state = 'alive'
    for (const fire of this.#held.splice(0)) fire()
  }

  die(): void {
    this.state = 'dead'
    this.#held = []
  }
}
