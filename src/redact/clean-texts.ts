/** Names of members, types and states repeat often. */
const SHORT_MAX = 24
const SHORT_COUNT = 2048
/** A long text appears in several consecutive entries: the reply, the message, the result. Comparing a string with itself is free. */
const LONG_MIN = 256
const LONG_MAX = 65_536
const LONG_COUNT = 4

/** Texts of medium length are mostly hashes, of which a few appear in consecutive entries. */
const MEDIUM_COUNT = 4

/** A bounded cache of texts that were scanned without a finding. */
export class CleanTexts {
  readonly #short = new Set<string>()
  readonly #medium: string[] = []
  readonly #long: string[] = []
  #next = 0
  #nextMedium = 0

  has(text: string): boolean {
    if (text.length <= SHORT_MAX) return this.#short.has(text)
    return (text.length < LONG_MIN ? this.#medium : this.#long).includes(text)
  }

  add(text: string): void {
    if (text.length <= SHORT_MAX) {
      if (this.#short.size >= SHORT_COUNT) this.#short.clear()
      this.#short.add(text)
    } else if (text.length < LONG_MIN) {
      this.#medium[this.#nextMedium] = text
      this.#nextMedium = (this.#nextMedium + 1) % MEDIUM_COUNT
    } else if (text.length <= LONG_MAX) {
      this.#long[this.#next] = text
      this.#next = (this.#next + 1) % LONG_COUNT
    }
  }
}
