/** First in, first out, without moving what is left and without a new list each time it is empty. */
export class Queue<T> {
  #items: (T | undefined)[] = []
  #head = 0
  #tail = 0

  get isEmpty(): boolean {
    return this.#head === this.#tail
  }

  push(item: T): void {
    this.#items[this.#tail++] = item
  }

  shift(): T | undefined {
    if (this.#head === this.#tail) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head++] = undefined
    if (this.#head === this.#tail) {
      this.#head = this.#tail = 0
      // A long queue was an exception: what it took is given back.
      if (this.#items.length > KEPT) this.#items = []
    } else if (this.#head > KEPT && this.#head * 2 > this.#tail) {
      // A queue that never empties does not grow for ever.
      this.#items = this.#items.slice(this.#head, this.#tail)
      this.#tail -= this.#head
      this.#head = 0
    }
    return item
  }

  /** What is left, in order. */
  all(): readonly T[] {
    return this.#items.slice(this.#head, this.#tail) as T[]
  }

  clear(): void {
    this.#items = []
    this.#head = this.#tail = 0
  }
}

const KEPT = 1_024
