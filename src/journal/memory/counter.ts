/** A counter of amounts over time. It is read once per call of a rate-limited tool, so sums come from prefix totals found by binary search. */
export class Counter {
  readonly #moments: number[] = []
  /** The total up to and including each time. */
  readonly #totals: number[] = []

  add(at: number, amount: number): void {
    const place = this.#firstFrom(at)
    if (this.#moments[place] !== at) {
      this.#moments.splice(place, 0, at)
      this.#totals.splice(place, 0, this.#totals[place - 1] ?? 0)
    }
    // After the clock was set back an amount is inserted earlier; usually the loop updates only the last total.
    for (let i = place; i < this.#totals.length; i++) this.#totals[i]! += amount
  }

  /** The sum from `since` on, inclusive. */
  sum(since: number): number {
    return (this.#totals.at(-1) ?? 0) - (this.#totals[this.#firstFrom(since) - 1] ?? 0)
  }

  #firstFrom(at: number): number {
    let low = 0
    let high = this.#moments.length
    // Usually the last place.
    if (high > 0 && this.#moments[high - 1]! < at) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#moments[middle]! < at) low = middle + 1
      else high = middle
    }
    return low
  }
}
