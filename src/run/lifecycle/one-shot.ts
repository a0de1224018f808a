/** A one-shot event with callbacks. Much cheaper than an `AbortSignal` to which every call would listen. */
export class OneShotEvent {
  readonly #callbacks = new Set<() => void>()
  #hasFired = false

  get hasFired(): boolean {
    return this.#hasFired
  }

  fire(): void {
    if (this.#hasFired) return
    this.#hasFired = true
    for (const callback of this.#callbacks) callback()
    this.#callbacks.clear()
  }

  /** Calls `callback` when the event happens, unless the returned function has been called before. Callers check `hasFired` first. */
  on(callback: () => void): () => void {
    this.#callbacks.add(callback)
    return () => void this.#callbacks.delete(callback)
  }
}
