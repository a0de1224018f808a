import { sha256 } from '../../core/index.ts'
import { PAGES_KEPT } from './limits.ts'
import { changed, countBreaks, indexPages } from './page-index.ts'
import type { PageIndex, PageReader } from './page-index.ts'

/** A text that is read page by page. Positions are UTF-16 units, as in scripts. A few pages are cached. */
export class PagedText {
  readonly #reader: PageReader
  readonly #kept = new Map<number, Promise<string>>()
  readonly index: PageIndex

  private constructor(reader: PageReader, index: PageIndex) {
    this.#reader = reader
    this.index = index
  }

  /** Opens a text by indexing it in one pass. */
  static async open(reader: PageReader): Promise<PagedText> {
    return new PagedText(reader, await indexPages(reader))
  }

  get label(): string {
    return this.#reader.label
  }

  get length(): number {
    return this.index.chars[this.index.pages]!
  }

  /** Returns the index of the page that contains a position. */
  pageAt(position: number): number {
    return lastAtMost(this.index.chars, position, this.index.pages)
  }

  startOf(page: number): number {
    return this.index.chars[page]!
  }

  /** Returns the text of a page after checking it against its indexed hash. */
  page(index: number): Promise<string> {
    const known = this.#kept.get(index)
    this.#kept.delete(index)
    const page = known ?? this.#load(index)
    this.#kept.set(index, page)
    if (this.#kept.size > PAGES_KEPT) this.#kept.delete(this.#kept.keys().next().value!)
    return page
  }

  async #load(index: number): Promise<string> {
    try {
      const { text, content } = await this.#reader.page(index)
      if (sha256(content) !== this.index.hashes[index]) throw changed(this.label)
      return text
    } catch (error) {
      this.#kept.delete(index)
      throw error
    }
  }

  async slice(from: number, to: number): Promise<string> {
    let text = ''
    for (let page = this.pageAt(from); page < this.index.pages && this.startOf(page) < to; page += 1) {
      const start = this.startOf(page)
      text += (await this.page(page)).slice(Math.max(from - start, 0), to - start)
    }
    return text
  }

  /** Counts the line breaks before a position. */
  async breaksBefore(position: number): Promise<number> {
    if (position >= this.length) return this.index.breaks[this.index.pages]!
    const page = this.pageAt(position)
    if (position === this.startOf(page)) return this.index.breaks[page]!
    return this.index.breaks[page]! + countBreaks(await this.page(page), 0, position - this.startOf(page))
  }

  /** Returns the position after the line break with a number, starting at 1; the end of the text if there are fewer. */
  async afterBreak(number: number): Promise<number> {
    if (number > this.index.breaks[this.index.pages]!) return this.length
    const index = lastAtMost(this.index.breaks, number - 1, this.index.pages)
    const page = await this.page(index)
    let at = -1
    for (let left = number - this.index.breaks[index]!; left > 0; left -= 1) at = page.indexOf('\n', at + 1)
    return this.startOf(index) + at + 1
  }
}

/** Returns the index of the last of the first `count` values that is at most `value`. The list is ascending. */
function lastAtMost(values: Float64Array, value: number, count: number): number {
  let low = 0
  let high = Math.max(count - 1, 0)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (values[middle]! <= value) low = middle
    else high = middle - 1
  }
  return low
}
