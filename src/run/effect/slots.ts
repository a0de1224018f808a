import type { EndOrder } from '../mind/end-order.ts'

/** Lets a bounded number of things happen at once; the others wait in order. */
export class Slots {
  readonly #waiting: (() => void)[] = []
  readonly #order: EndOrder | undefined
  #free: number

  /** `order` is told how many wait. */
  constructor(count: number, order?: EndOrder) {
    this.#free = Math.max(1, count)
    this.#order = order
  }

  /** Whether the next one to ask would have to wait. */
  get isFull(): boolean {
    return this.#free === 0
  }

  /** Resolves when there is room. Returns nothing to wait for when there is room now. */
  take(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1
      return undefined
    }
    this.#order?.queued(1)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#order?.queued(-1)
    next()
  }

  /** Waits for something outside without taking up room. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.give()
    const value = await work()
    await this.take()
    return value
  }
}

/** The slot of one effect on its way through the gate: taken and given back at most once at a time. */
export class SlotClaim {
  readonly #slots: Slots
  #isHeld = false
  /** Whether it had to wait for others. */
  hasQueued = false

  constructor(slots: Slots) {
    this.#slots = slots
  }

  async take(): Promise<void> {
    if (this.#isHeld) return
    this.hasQueued ||= this.#slots.isFull
    await this.#slots.take()
    this.#isHeld = true
  }

  give(): void {
    if (this.#isHeld) this.#slots.give()
    this.#isHeld = false
  }

  /** Leaves the slot to what goes on with the effect. */
  pass(): void {
    this.#isHeld = false
  }
}
