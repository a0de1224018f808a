import { burn, charge } from '../../meter/live.ts'

/** Units of one native search for the next occurrence of a character. */
const JUMP = 40
/** Units of each character that is inspected, compared, or matched with the table. */
const LOOK = 4
const COMPARE = 6
const TABLE = 12
/** A native search that advances less than this costs more than inspecting each character, which is then done for this many characters. */
const SHORT_JUMP = 24
const LOOKED_AT = 512
/** Comparisons that the naive search may take before it switches to the table. */
const PATIENCE = 256

/**
 * Finds a text in another from left to right, in linear time, charging as it proceeds. The platform's own search compares the whole text at each position in
 * the worst case. Most searches are simple: jump to the next occurrence of the first character and compare the rest. A search with too many comparisons
 * continues with the Knuth-Morris-Pratt algorithm.
 */
export class TextSearch {
  readonly #text: string
  readonly #sought: string
  readonly #first: string
  #compared = 0
  #borders: Int32Array | undefined

  /** The caller has charged for both texts with `touch`. */
  constructor(text: string, sought: string) {
    this.#text = text
    this.#sought = sought
    this.#first = sought.slice(0, 1)
  }

  /** Returns the first position at or after `from`, or -1. */
  next(from: number): number {
    const { length } = this.#sought
    if (length === 0) return Math.min(from, this.#text.length)
    if (length > this.#text.length - from) return -1
    return this.#borders === undefined ? this.#easy(from) : this.#hard(from)
  }

  #easy(from: number): number {
    const last = this.#text.length - this.#sought.length
    let at = from
    while (at <= last) {
      const found = this.#jump(at)
      if (found < 0 || found > last) return -1
      // If the character is frequent, positions are checked one by one.
      const end = Math.min(last, found - at < SHORT_JUMP ? found + LOOKED_AT : found)
      at = this.#looked(found, end)
      if (at <= end) return at
      if (this.#compared > PATIENCE + (at >> 2)) return this.#hard(at)
    }
    return -1
  }

  #jump(from: number): number {
    const found = this.#text.indexOf(this.#first, from)
    burn((((found < 0 ? this.#text.length : found) - from) >> 3) + JUMP)
    return found
  }

  /** The first match up to `end`, or the position after it. */
  #looked(from: number, end: number): number {
    const text = this.#text
    const sought = this.#sought
    const first = sought.charCodeAt(0)
    burn((end + 1 - from) * LOOK)
    for (let at = from; at <= end; at += 1) {
      if (text.charCodeAt(at) !== first) continue
      let same = 1
      while (same < sought.length && text.charCodeAt(at + same) === sought.charCodeAt(same)) same += 1
      burn(same * COMPARE)
      if (same === sought.length) return at
      this.#compared += same - 1
      if (same > PATIENCE) return this.#hardWithin(at + 1, end)
    }
    return end + 1
  }

  /** Continues with the table after many matching characters. Returns the position only if it is within `end`. */
  #hardWithin(from: number, end: number): number {
    this.#compared = Infinity
    const at = this.#hard(from)
    return at < 0 || at > end ? end + 1 : at
  }

  #hard(from: number): number {
    const text = this.#text
    const sought = this.#sought
    const borders = (this.#borders ??= bordersOf(sought))
    let same = 0
    let paid = from
    for (let at = from; at < text.length; at += 1) {
      if (at === paid) paid = payStretch(at, text.length)
      const code = text.charCodeAt(at)
      while (same > 0 && sought.charCodeAt(same) !== code) same = borders[same - 1]!
      if (sought.charCodeAt(same) === code) same += 1
      if (same === sought.length) return at + 1 - same
    }
    return -1
  }
}

const STRETCH = 4_096

/** Charges for the next characters in steps, so that a nearby match costs little. */
function payStretch(at: number, end: number): number {
  const to = Math.min(end, at + STRETCH)
  burn((to - at) * TABLE)
  return to
}

/** Computes the KMP failure table: for each prefix length (or, backward, suffix length), the longest shorter prefix that is also its suffix. */
function bordersOf(sought: string, isBackward: boolean = false): Int32Array {
  const { length } = sought
  burn(length * TABLE)
  charge(length * 4)
  const codeAt = (at: number): number => sought.charCodeAt(isBackward ? length - 1 - at : at)
  const borders = new Int32Array(length)
  let same = 0
  for (let at = 1; at < length; at += 1) {
    const code = codeAt(at)
    while (same > 0 && codeAt(same) !== code) same = borders[same - 1]!
    if (codeAt(same) === code) same += 1
    borders[at] = same
  }
  return borders
}

/** The first place of a text in another at or after `from`, or -1. */
export function findText(text: string, sought: string, from: number): number {
  return new TextSearch(text, sought).next(Math.min(Math.max(from, 0), text.length))
}

/** Returns the last position at or before `from`, or -1. Uses the KMP search from right to left. */
export function findLastText(text: string, sought: string, from: number): number {
  const { length } = sought
  const last = Math.min(Math.max(from, 0), text.length - length)
  if (last < 0) return -1
  if (length === 0) return last
  const end = last + length
  if (length === 1) {
    burn((end >> 3) + JUMP)
    return text.lastIndexOf(sought, last)
  }
  const borders = bordersOf(sought, true)
  let same = 0
  for (let at = end - 1; at >= 0; at -= 1) {
    if ((end - 1 - at) % STRETCH === 0) payStretch(0, Math.min(at + 1, STRETCH))
    const code = text.charCodeAt(at)
    while (same > 0 && sought.charCodeAt(length - 1 - same) !== code) same = borders[same - 1]!
    if (sought.charCodeAt(length - 1 - same) === code) same += 1
    if (same === length) return at
  }
  return -1
}
