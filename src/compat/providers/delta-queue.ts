/** Converts the calls of a listener to an async iterable of the deltas. */
export class DeltaQueue implements AsyncIterable<string> {
  readonly #waiting: string[] = []
  #isOver = false
  #wake: () => void = () => {}

  push(delta: string): void {
    this.#waiting.push(delta)
    this.#wake()
  }

  /** A field with a bound `this`, so that it can be passed as a callback. */
  readonly end = (): void => {
    this.#isOver = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const delta = this.#waiting.shift()
      if (delta !== undefined) yield delta
      else if (this.#isOver) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
