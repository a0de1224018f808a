/** Shorter texts are counted by reference, and are never ropes whose flattening is worth charging for. */
export const SHORT_TEXT = 64

/** Number of lengths per page, and the bytes charged for a page. */
const PAGE = 128
const PAGE_BYTES = 900

/** A saturated counter: the number is unknown. */
const MANY = 0xffff

/** Fields of a length in its page. */
const MADE = 0
const ROPES = PAGE
const NODES = PAGE * 2

/**
 * Accounting of long texts by length. JavaScript cannot distinguish two equal texts from one text held twice, nor a
 * rope from a flat text, without reading them. The length is known without reading, and counts by length bound both:
 * no more texts of a length exist than were made, and no more ropes of a length can be flattened than were joined.
 */
export class TextLedger {
  readonly #pages = new Map<number, Uint16Array>()

  /** Bytes of the ledger itself. */
  get bytes(): number {
    return this.#pages.size * PAGE_BYTES
  }

  /** Records a text; returns the bytes by which the ledger grew. */
  noteMade(length: number): number {
    const before = this.#pages.size
    increase(this.#page(length), MADE + (length % PAGE), 1)
    return (this.#pages.size - before) * PAGE_BYTES
  }

  /** Records a concatenation; returns the bytes by which the ledger grew. */
  noteRope(left: number, right: number): number {
    const before = this.#pages.size
    const length = left + right
    const page = this.#page(length)
    const at = length % PAGE
    increase(page, MADE + at, 1)
    increase(page, ROPES + at, 1)
    const nodes = this.#field(left, NODES) + this.#field(right, NODES) + 1
    page[NODES + at] = Math.min(MANY, Math.max(page[NODES + at]!, nodes))
    return (this.#pages.size - before) * PAGE_BYTES
  }

  /**
   * The number of rope pieces that flattening a text of this length may touch, or 0 if all ropes of this length are charged
   * already. The caller charges for it, and one rope fewer is left.
   */
  takeRope(length: number): number {
    const page = this.#pages.get(Math.floor(length / PAGE))
    if (page === undefined) return 0
    const at = length % PAGE
    const ropes = page[ROPES + at]!
    if (ropes === 0) return 0
    const nodes = page[NODES + at]!
    if (ropes < MANY) page[ROPES + at] = ropes - 1
    if (ropes === 1) page[NODES + at] = 0
    return nodes === MANY ? length : nodes
  }

  /** The maximum number of distinct texts of a length, given the number of references found. */
  countOf(length: number, references: number): number {
    const made = this.#field(length, MADE)
    // Not recorded: the text was not made by the program. Each reference counts.
    return made === 0 || made === MANY ? references : Math.min(made, references)
  }

  /** Drops garbage texts: at most as many of each length are left as references were found. */
  keepOnly(references: ReadonlyMap<number, number>): void {
    for (const [index, page] of this.#pages) {
      let isUsed = false
      for (let at = 0; at < PAGE; at += 1) {
        if (page[MADE + at] === 0) continue
        const left = references.get(index * PAGE + at) ?? 0
        if (left < page[MADE + at]!) page[MADE + at] = left
        if (left < page[ROPES + at]!) page[ROPES + at] = left
        if (left === 0) page[NODES + at] = 0
        else isUsed = true
      }
      if (!isUsed) this.#pages.delete(index)
    }
  }

  #field(length: number, field: number): number {
    return this.#pages.get(Math.floor(length / PAGE))?.[field + (length % PAGE)] ?? 0
  }

  #page(length: number): Uint16Array {
    const index = Math.floor(length / PAGE)
    let page = this.#pages.get(index)
    if (page === undefined) this.#pages.set(index, (page = new Uint16Array(PAGE * 3)))
    return page
  }
}

function increase(page: Uint16Array, at: number, by: number): void {
  page[at] = Math.min(MANY, page[at]! + by)
}
