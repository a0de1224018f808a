/** Reads a source once, as fast as it comes, and lets any number of readers read all of it from the beginning. */
export class Replay<T> {
  readonly #items: T[] = []
  readonly #waiting = new Set<() => void>()
  #isOver = false
  /** Settles when everything was read. Never rejects: errors are items of the stream. */
  readonly done: Promise<void>

  constructor(source: AsyncIterable<T>, onItem: (item: T) => void) {
    this.done = this.#read(source, onItem)
  }

  /** The items mapped by `pick`, as a stream that is also async iterable. */
  stream<R>(pick: (item: T) => readonly R[]): ReadableStream<R> & AsyncIterable<R> {
    const picked = this.#pick(pick)
    const stream = new ReadableStream<R>({
      async pull(controller) {
        const { done, value } = await picked.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await picked.return(undefined)
      },
    })
    if (Symbol.asyncIterator in stream) return stream as ReadableStream<R> & AsyncIterable<R>
    // Streams of some browsers are not async iterable.
    return Object.assign(stream as ReadableStream<R>, { [Symbol.asyncIterator]: () => this.#pick(pick) })
  }

  async *#pick<R>(pick: (item: T) => readonly R[]): AsyncGenerator<R, undefined> {
    for (let next = 0; ;) {
      while (next < this.#items.length) yield* pick(this.#items[next++]!)
      if (this.#isOver) return
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  async #read(source: AsyncIterable<T>, onItem: (item: T) => void): Promise<void> {
    try {
      for await (const item of source) {
        onItem(item)
        this.#items.push(item)
        this.#wake()
      }
    } finally {
      this.#isOver = true
      this.#wake()
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
