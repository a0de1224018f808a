import { RESULT_CHARS_MAX, RESULT_ITEMS_MAX, badCall } from './limits.ts'
import type { PagedText } from './paged-text.ts'

/** A range of a paged text that behaves as a text of its own: position 0 is its beginning, and nothing outside is reached. */
export class TextView {
  readonly text: PagedText
  /** Where the view begins and ends in the whole text. */
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

  /** A range of this view as a view. */
  part(from: number, to: number): TextView {
    return new TextView(this.text, this.from + from, this.from + to)
  }

  /** Reads a range without a limit on its size; callers bound it. */
  read(from: number, to: number): Promise<string> {
    return this.text.slice(this.from + Math.max(from, 0), Math.min(this.from + to, this.to))
  }

  /** As `slice` of a text, negative positions included; a range that is too long for one result is refused. */
  async slice(from?: number, to?: number): Promise<string> {
    const [start, end] = this.range(from, to)
    if (end - start > RESULT_CHARS_MAX)
      throw badCall(
        `One call gives at most ${RESULT_CHARS_MAX} characters, and these are ${end - start}. Read less at a time, or pass a part from \`chunks\` to \`rlm_query\`.`,
      )
    return this.read(start, end)
  }

  /** The range that two arguments of `slice` mean. */
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

  /** The number of the line, from 0, that holds a position. */
  async lineAt(position: number): Promise<number> {
    return (await this.text.breaksBefore(this.from + position)) - (await this.#breaksBefore())
  }

  /** Where a line begins; the end of the view where there is no such line. */
  async lineStart(line: number): Promise<number> {
    if (line <= 0) return 0
    return Math.min((await this.text.afterBreak((await this.#breaksBefore()) + line)) - this.from, this.length)
  }

  /** Lines as `slice` of a list of them would give them, without their line breaks. */
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

  /** The texts of the pages from a position on, each with its own position. */
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

/** A position as `slice` reads it: negative ones count from the end. */
function place(position: number, length: number): number {
  return position < 0 ? Math.max(length + position, 0) : Math.min(position, length)
}
