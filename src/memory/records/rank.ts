import { findsWord } from '../words.ts'

/** Keeps the best items without keeping all. */
export class Best<T> {
  readonly #limit: number
  readonly #kept: { readonly item: T; readonly score: number }[] = []

  constructor(limit: number) {
    this.#limit = Math.max(0, limit)
  }

  /** The score below which an item is not kept. */
  get threshold(): number {
    return this.#kept.length < this.#limit ? -Infinity : (this.#kept.at(-1)?.score ?? Infinity)
  }

  /** Of equal scores, the first stays ahead. */
  offer(item: T, score: number): void {
    const kept = this.#kept
    if (kept.length >= this.#limit && !(score > this.threshold)) return
    let low = 0
    let high = kept.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (kept[middle]!.score >= score) low = middle + 1
      else high = middle
    }
    kept.splice(low, 0, { item, score })
    if (kept.length > this.#limit) kept.pop()
  }

  /** Best first. */
  list(): readonly { readonly item: T; readonly score: number }[] {
    return this.#kept
  }
}

/** The standard BM25 parameters: saturation of repeated words, and weight of the text length. */
const OCCURRENCE = 1.2
const LENGTH = 0.75

interface Found<T> {
  readonly item: T
  readonly length: number
  /** The number of occurrences of each word. */
  readonly counts: readonly number[]
}

/** Ranks texts by the words they contain (BM25), for stores without an index: rare words count more than common ones, long texts less. */
export class WordRanking<T> {
  readonly #words: readonly string[]
  readonly #found: Found<T>[] = []
  #texts = 0
  #length = 0

  constructor(words: readonly string[]) {
    this.#words = words
  }

  add(item: T, text: readonly string[]): void {
    this.#texts += 1
    this.#length += text.length
    const counts = this.#words.map((asked) => text.reduce((sum, word) => sum + (findsWord(asked, word) ? 1 : 0), 0))
    if (counts.some((count) => count > 0)) this.#found.push({ item, length: text.length, counts })
  }

  /** Of equal scores, the last added item is first. */
  best(limit: number): readonly { readonly item: T; readonly score: number }[] {
    const average = this.#length / Math.max(1, this.#texts) || 1
    const weights = this.#words.map((_, index) => {
      const holding = this.#found.reduce((sum, { counts }) => sum + (counts[index]! > 0 ? 1 : 0), 0)
      return Math.log(1 + (this.#texts - holding + 0.5) / (holding + 0.5))
    })
    const best = new Best<T>(limit)
    for (const { item, length, counts } of this.#found.toReversed()) {
      const size = OCCURRENCE * (1 - LENGTH + (LENGTH * length) / average)
      best.offer(
        item,
        counts.reduce((sum, count, index) => sum + (weights[index]! * count * (OCCURRENCE + 1)) / (count + size), 0),
      )
    }
    return best.list()
  }
}

/** The usual constant of reciprocal rank fusion. */
const FUSION = 60

/** Merges rankings with incomparable scores (reciprocal rank fusion): only the ranks count. */
export function fuse<T>(
  rankings: readonly (readonly T[])[],
  idOf: (item: T) => string,
): readonly { readonly item: T; readonly score: number }[] {
  const joined = new Map<string, { item: T; score: number }>()
  for (const ranking of rankings) {
    for (const [place, item] of ranking.entries()) {
      const id = idOf(item)
      const known = joined.get(id)
      joined.set(id, { item: known?.item ?? item, score: (known?.score ?? 0) + 1 / (FUSION + place + 1) })
    }
  }
  return [...joined.values()].sort((a, b) => b.score - a.score)
}
