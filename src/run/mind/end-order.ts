import { afterTurn } from '../../core/index.ts'

interface Flight {
  /** What has come back and waits for its turn, in order. */
  readonly back: (() => void)[]
  /** It has its turn, or is about to begin: everything else of the run waits for it. */
  isMoving: boolean
}

/**
 * The order in which what parallel calls come to is dealt with, for runs whose journal shall follow from their seed alone: that in which the calls began,
 * one at a time, and each only when the mind has reacted to the one before and waits for nothing but calls. How long the calls really take then changes nothing.
 */
export class EndOrder {
  readonly #active: () => number
  /** Calls that have begun, in that order. */
  readonly #flights = new Map<string, Flight>()
  /** Effects that wait for a slot: only the end of another one lets them go on. */
  #queued = 0
  #isPlanned = false

  /** `active` counts the effects of the run that are neither delivered nor parked. */
  constructor(active: () => number) {
    this.#active = active
  }

  /** A performer is about to be called. */
  begin(key: string): void {
    this.#flights.set(key, { back: [], isMoving: true })
  }

  /** The call waits for its performer, in its place. */
  wait(key: string): void {
    const flight = this.#flights.get(key)
    if (flight !== undefined) flight.isMoving = false
    this.look()
  }

  /** Resolves when it is the turn of what has come back of a call. */
  async turn(key: string): Promise<void> {
    const flight = this.#flights.get(key)
    if (flight === undefined) return
    await new Promise<void>((resolve) => {
      flight.back.push(resolve)
      this.look()
    })
  }

  end(key: string): void {
    const flight = this.#flights.get(key)
    this.#flights.delete(key)
    for (const late of flight?.back ?? []) late()
    this.look()
  }

  queued(change: 1 | -1): void {
    this.#queued += change
    this.look()
  }

  /** Looks whether anything can have its turn, once everything that is ready has happened. */
  look(): void {
    if (this.#isPlanned || this.#flights.size === 0) return
    this.#isPlanned = true
    afterTurn(() => {
      this.#isPlanned = false
      this.#grant()
    })
  }

  #grant(): void {
    const flights = [...this.#flights.values()]
    const [first] = flights
    if (first === undefined || first.back.length === 0) return
    if (this.#active() !== flights.length + this.#queued || flights.some(({ isMoving }) => isMoving)) return
    first.isMoving = true
    first.back.shift()!()
  }
}
