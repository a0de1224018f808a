/** Calls back, once, everyone who waits for one event. Much cheaper than an `AbortSignal`, which every call would have to listen to. */
export class Alarm {
  readonly #waiting = new Set<() => void>()
  #isRung = false

  get isRung(): boolean {
    return this.#isRung
  }

  ring(): void {
    if (this.#isRung) return
    this.#isRung = true
    for (const fire of this.#waiting) fire()
    this.#waiting.clear()
  }

  /** Calls `fire` when the event happens, unless the returned function has been called before. Callers look at `isRung` first. */
  on(fire: () => void): () => void {
    this.#waiting.add(fire)
    return () => void this.#waiting.delete(fire)
  }
}
