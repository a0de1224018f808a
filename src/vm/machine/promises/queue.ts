/** A FIFO queue that neither shifts items nor reallocates when empty. */
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
      // Releases the memory of an exceptionally long queue.
      if (this.#items.length > KEPT) this.#items = []
    } else if (this.#head > KEPT && this.#head * 2 > this.#tail) {
      // Compacts a queue that never becomes empty.
      this.#items = this.#items.slice(this.#head, this.#tail)
      this.#tail -= this.#head
      this.#head = 0
    }
    return item
  }

  /** The remaining items, in order. */
  all(): readonly T[] {
    return this.#items.slice(this.#head, this.#tail) as T[]
  }

  clear(): void {
    this.#items = []
    this.#head = this.#tail = 0
  }
}

const KEPT = 1_024
