import type { EndOrder } from '../mind/end-order.ts'

/** A counting semaphore: at most `count` effects run at once; the others wait in order. */
export class Slots {
  readonly #waiting: (() => void)[] = []
  readonly #order: EndOrder | undefined
  #free: number

  /** `order` is notified of queued effects. */
  constructor(count: number, order?: EndOrder) {
    this.#free = Math.max(1, count)
    this.#order = order
  }

  /** Whether the next `acquire` would have to wait. */
  get isFull(): boolean {
    return this.#free === 0
  }

  /** Takes a slot. Returns `undefined` if one is free, otherwise a promise that resolves when there is one. */
  acquire(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1
      return undefined
    }
    this.#order?.queued(1)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#order?.queued(-1)
    next()
  }

  /** Runs `work` with the slot released. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.release()
    const value = await work()
    await this.acquire()
    return value
  }
}

/** The slot of one effect while it is authorized: held at most once, and released at most once. */
export class SlotClaim {
  readonly #slots: Slots
  #isHeld = false
  /** Whether it had to wait for a slot. */
  hasQueued = false

  constructor(slots: Slots) {
    this.#slots = slots
  }

  async acquire(): Promise<void> {
    if (this.#isHeld) return
    this.hasQueued ||= this.#slots.isFull
    await this.#slots.acquire()
    this.#isHeld = true
  }

  release(): void {
    if (this.#isHeld) this.#slots.release()
    this.#isHeld = false
  }

  /** Passes the slot on: it is no longer released here. */
  pass(): void {
    this.#isHeld = false
  }
}
