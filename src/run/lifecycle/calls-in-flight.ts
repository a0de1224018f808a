/** Counts the calls of performers that have not returned. */
export class Calls {
  #count = 0
  #still: PromiseWithResolvers<void> | undefined

  /** Counts a call, until `end` is called because it returned or was abandoned. */
  begin(): void {
    this.#count += 1
  }

  end(): void {
    this.#count -= 1
    if (this.#count === 0) this.#still?.resolve()
  }

  /** Resolves when no performer is running: before that, no call in doubt can be answered with "not happened". */
  async whenStill(): Promise<void> {
    if (this.#count === 0) return
    this.#still ??= Promise.withResolvers()
    await this.#still.promise
  }
}
