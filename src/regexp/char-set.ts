/** Size of the result cache. Fixed, so that no text can make it use much memory. */
const ANSWERS = 1024
/** Code units whose result is looked up in a table. */
export const LATIN = 256
const ALL_LATIN = String.fromCharCode(...Array.from({ length: LATIN }).keys())

/**
 * The set of characters that a class matches. Unicode properties and case folding come from the platform's `RegExp`, which is tested with one character at a
 * time, in constant time. Results are cached.
 */
export class CharSet {
  /** For each code below `LATIN`, whether it is in the set. */
  readonly latin: Uint8Array = new Uint8Array(LATIN).fill(1)
  readonly #question: RegExp
  /** Cached results for other codes: twice the code, plus one for a member. */
  #answers: Int32Array | undefined = undefined

  constructor(source: string, flags: string) {
    this.#question = new RegExp(source, `g${flags}`)
    const others = ALL_LATIN.replaceAll(this.#question, '')
    for (let at = 0; at < others.length; at += 1) this.latin[others.charCodeAt(at)] = 0
  }

  has(code: number): boolean {
    if (code < LATIN) return this.latin[code] === 1
    this.#answers ??= new Int32Array(ANSWERS)
    const known = this.#answers[code % ANSWERS]!
    if (known >> 1 === code) return (known & 1) === 1
    const isIn = String.fromCodePoint(code).search(this.#question) === 0
    this.#answers[code % ANSWERS] = code * 2 + (isIn ? 1 : 0)
    return isIn
  }
}
