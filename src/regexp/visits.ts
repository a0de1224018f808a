/** Positions per page, one bit each. */
const PAGE = 1024
const PAGE_WORDS = PAGE >> 5

/** Records the visits of a search: a bit for each pair of instruction and text position, in pages allocated on first use. */
export class Visits {
  readonly #from: number
  readonly #pages: number
  readonly #pageOf: Int32Array
  readonly #hold: (bytes: number) => void
  #words: Int32Array
  #used = PAGE_WORDS

  /** `hold` is called before memory is allocated. */
  constructor(rows: number, from: number, to: number, hold: (bytes: number) => void) {
    this.#from = from
    this.#pages = Math.floor((to - from) / PAGE) + 1
    this.#hold = hold
    hold((rows * this.#pages + 4 * PAGE_WORDS) * 4)
    this.#pageOf = new Int32Array(rows * this.#pages)
    this.#words = new Int32Array(4 * PAGE_WORDS)
  }

  has(row: number, at: number): boolean {
    const place = at - this.#from
    const page = this.#pageOf[row * this.#pages + Math.floor(place / PAGE)]!
    return page > 0 && (this.#words[page + ((place % PAGE) >> 5)]! & (1 << (place & 31))) !== 0
  }

  /** Records a visit. Returns whether the pair was visited before. */
  again(row: number, at: number): boolean {
    const place = at - this.#from
    const index = row * this.#pages + Math.floor(place / PAGE)
    const page = this.#pageOf[index]! || this.#addPage(index)
    const word = page + ((place % PAGE) >> 5)
    const bit = 1 << (place & 31)
    if ((this.#words[word]! & bit) !== 0) return true
    this.#words[word]! |= bit
    return false
  }

  #addPage(index: number): number {
    const page = this.#used
    this.#used += PAGE_WORDS
    if (this.#used > this.#words.length) {
      this.#hold(this.#words.length * 8)
      const words = new Int32Array(this.#words.length * 2)
      words.set(this.#words)
      this.#words = words
    }
    this.#pageOf[index] = page
    return page
  }
}
