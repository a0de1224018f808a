import { RESULT_CHARS_MAX, RESULT_ITEMS_MAX, badCall } from './limits.ts'
import type { PagedText } from './paged-text.ts'

/** A range of a paged text with its own positions, starting at 0. Nothing outside the range can be read. */
export class TextView {
  readonly text: PagedText
  /** Start and end of the view in the whole text. */
  readonly from: number
  readonly to: number
  #breaks: Promise<number> | undefined

  constructor(text: PagedText, from: number = 0, to: number = text.length) {
    this.text = text
    this.from = from
    this.to = to
  }

  get length(): number {
    return this.to - this.from
  }

  /** Creates a view of a range of this view. */
  part(from: number, to: number): TextView {
    return new TextView(this.text, this.from + from, this.from + to)
  }

  /** Reads a range without a size limit; callers must bound it. */
  read(from: number, to: number): Promise<string> {
    return this.text.slice(this.from + Math.max(from, 0), Math.min(this.from + to, this.to))
  }

  /** Reads a range with the semantics of `String.slice`, including negative positions. Throws for a range longer than the maximum result. */
  async slice(from?: number, to?: number): Promise<string> {
    const [start, end] = this.range(from, to)
    if (end - start > RESULT_CHARS_MAX)
      throw badCall(
        `One call gives at most ${RESULT_CHARS_MAX} characters, and these are ${end - start}. Read less at a time, or pass a part from \`chunks\` to \`rlm_query\`.`,
      )
    return this.read(start, end)
  }

  /** Resolves the arguments of `slice` to a range. */
  range(from: number = 0, to: number = this.length): readonly [start: number, end: number] {
    const start = place(from, this.length)
    return [start, Math.max(start, place(to, this.length))]
  }

  async lineCount(): Promise<number> {
    if (this.length === 0) return 0
    const breaks = (await this.text.breaksBefore(this.to)) - (await this.#breaksBefore())
    return (await this.#endsWithBreak()) ? breaks : breaks + 1
  }

  async #endsWithBreak(): Promise<boolean> {
    if (this.to === this.text.length) return this.text.index.endsWithBreak
    return (await this.read(this.length - 1, this.length)) === '\n'
  }

  /** Returns the line number of a position, starting at 0. */
  async lineAt(position: number): Promise<number> {
    return (await this.text.breaksBefore(this.from + position)) - (await this.#breaksBefore())
  }

  /** Returns the start of a line; the end of the view if the line does not exist. */
  async lineStart(line: number): Promise<number> {
    if (line <= 0) return 0
    return Math.min((await this.text.afterBreak((await this.#breaksBefore()) + line)) - this.from, this.length)
  }

  /** Returns lines without their line breaks, with the semantics of `Array.slice`. */
  async lines(from: number = 0, to?: number): Promise<readonly string[]> {
    const count = await this.lineCount()
    const first = place(from, count)
    const last = Math.max(first, place(to ?? count, count))
    if (first === last) return []
    if (last - first > RESULT_ITEMS_MAX)
      throw badCall(`One call gives at most ${RESULT_ITEMS_MAX} lines, and these are ${last - first}. Read fewer.`)
    const text = await this.slice(await this.lineStart(first), await this.lineStart(last))
    const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    return lines.slice(0, last - first)
  }

  #breaksBefore(): Promise<number> {
    this.#breaks ??= this.text.breaksBefore(this.from)
    return this.#breaks
  }

  /** Yields the texts of the pages from a position, each with its own position. */
  async *pages(from: number = 0): AsyncGenerator<{ readonly at: number; readonly text: string }> {
    let position = this.from + from
    while (position < this.to) {
      const page = this.text.pageAt(position)
      const start = this.text.startOf(page)
      const text = (await this.text.page(page)).slice(position - start, this.to - start)
      yield { at: position - this.from, text }
      position += text.length
    }
  }
}

/** Resolves a position as `slice` does: negative ones count from the end. */
function place(position: number, length: number): number {
  return position < 0 ? Math.max(length + position, 0) : Math.min(position, length)
}
