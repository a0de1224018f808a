/** Codes whose answer stands in a table from the start. */
export const LATIN = 256
const ALL_LATIN = String.fromCharCode(...Array.from({ length: LATIN }).keys())

/**
 * The characters of a class. Only the platform knows their properties and cases, so it is asked, about one character at a
 * time, and its answers are kept: an expression over a single character takes a fixed time.
 */
export class CharSet {
  /** For each code below `LATIN`, whether it is in the set. */
  readonly latin: Uint8Array = new Uint8Array(LATIN).fill(1)
  readonly #question: RegExp
  /** Answers for 256 codes each: 1 for no, 2 for yes. */
  readonly #pages = new Map<number, Uint8Array>()

  constructor(source: string, flags: string) {
    this.#question = new RegExp(source, `g${flags}`)
    const others = ALL_LATIN.replaceAll(this.#question, '')
    for (let at = 0; at < others.length; at += 1) this.latin[others.charCodeAt(at)] = 0
  }

  has(code: number): boolean {
    if (code < LATIN) return this.latin[code] === 1
    let page = this.#pages.get(code >> 8)
    if (page === undefined) this.#pages.set(code >> 8, (page = new Uint8Array(256)))
    const known = page[code & 255]
    if (known !== 0) return known === 2
    const isIn = String.fromCodePoint(code).search(this.#question) === 0
    page[code & 255] = isIn ? 2 : 1
    return isIn
  }
}
