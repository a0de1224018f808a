/** Turns calls of a listener into something that can be iterated over. */
export class DeltaQueue implements AsyncIterable<string> {
  readonly #waiting: string[] = []
  #isOver = false
  #wake: () => void = () => {}

  push(delta: string): void {
    this.#waiting.push(delta)
    this.#wake()
  }

  /** A field, so that it can be handed on as it is. */
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
