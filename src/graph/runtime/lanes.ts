/** Lets so many nodes run at once; the others wait in order. One that waits for a person makes room meanwhile. */
export class Lanes {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(count: number) {
    this.#free = Math.max(1, count)
  }

  /** Resolves when there is room; nothing to wait for when there is room now. */
  enter(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1
      return undefined
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }

  /** Waits for something outside without taking up room. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.leave()
    const value = await work()
    await this.enter()
    return value
  }
}
