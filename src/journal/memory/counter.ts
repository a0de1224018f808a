/** Amounts by their moments. Asked once per call of a limited tool, so what lies before a moment is found by halving and never added up again. */
export class Counter {
  readonly #moments: number[] = []
  /** Of everything up to and including the moment. */
  readonly #totals: number[] = []

  add(at: number, amount: number): void {
    const place = this.#firstFrom(at)
    if (this.#moments[place] !== at) {
      this.#moments.splice(place, 0, at)
      this.#totals.splice(place, 0, this.#totals[place - 1] ?? 0)
    }
    // Clocks are put back; mostly this is the last one.
    for (let i = place; i < this.#totals.length; i++) this.#totals[i]! += amount
  }

  /** What was added since a moment, that moment included. */
  sum(since: number): number {
    return (this.#totals.at(-1) ?? 0) - (this.#totals[this.#firstFrom(since) - 1] ?? 0)
  }

  #firstFrom(at: number): number {
    let low = 0
    let high = this.#moments.length
    // Where it mostly is.
    if (high > 0 && this.#moments[high - 1]! < at) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#moments[middle]! < at) low = middle + 1
      else high = middle
    }
    return low
  }
}
