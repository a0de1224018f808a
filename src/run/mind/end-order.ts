import { afterTurn } from '../../core/index.ts'

interface Flight {
  /** The calls that have returned and wait for their turn, in order. */
  readonly back: (() => void)[]
  /** The call has its turn or is about to start: all others of the run wait for it. */
  isMoving: boolean
}

/**
 * Processes the results of parallel calls in the order in which the calls began, for runs whose journal must be deterministic: one at a time, and
 * each only when the mind has reacted to the one before and waits only for calls. The real durations then have no effect on the journal.
 */
export class EndOrder {
  readonly #active: () => number
  /** Calls that have begun, in that order. */
  readonly #flights = new Map<string, Flight>()
  /** Effects that wait for a slot: only the end of another effect lets them continue. */
  #queued = 0
  #isPlanned = false

  /** `active` returns the number of effects of the run that are neither delivered nor parked. */
  constructor(active: () => number) {
    this.#active = active
  }

  /** Called before a performer is called. */
  begin(key: string): void {
    this.#flights.set(key, { back: [], isMoving: true })
  }

  /** The call waits for its performer, keeping its place. */
  wait(key: string): void {
    const flight = this.#flights.get(key)
    if (flight !== undefined) flight.isMoving = false
    this.look()
  }

  /** Resolves when the result of a call may be processed. */
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

  /** Gives the next turn, if there is one, after all pending microtasks. */
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
