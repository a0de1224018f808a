import type { Json } from '../../core/index.ts'
import { RESULT_CHARS_MAX, RESULT_ITEMS_MAX, badCall } from './limits.ts'
import { pause } from './page-index.ts'
import { formatOf, readJson, readRow, splitterAt } from './record-format.ts'
import type { RecordFormat } from './record-format.ts'
import type { TextView } from './text-view.ts'

/** Number of records between two indexed positions. */
const SPACING = 256
const PAGES_AT_ONCE = 16

/** Index of the records of a view in one format. Stores the position of every 256th record, so that later ones are found without reading from the start. */
class RecordIndex {
  readonly #view: TextView
  readonly format: RecordFormat
  /** Positions of records 0, 256, 512 …; the first is the start of the text. */
  readonly #noted: number[] = [0]
  #count: number | undefined

  constructor(view: TextView, format: RecordFormat) {
    this.#view = view
    this.format = format
  }

  /** Returns the ranges of the records from `first` up to `last`. */
  async ranges(first: number, last: number): Promise<readonly (readonly [number, number])[]> {
    const ranges: (readonly [number, number])[] = []
    const noted = Math.min(Math.floor(first / SPACING), this.#noted.length - 1)
    let number = noted * SPACING
    const found = (from: number, to: number): boolean => {
      if (number % SPACING === 0) this.#noted[number / SPACING] ??= from
      if (number >= first && number < last) ranges.push([from, to])
      number += 1
      return number < last
    }
    if (!(await this.#walk(this.#noted[noted]!, found))) return ranges
    this.#count = number
    return ranges
  }

  async count(): Promise<number> {
    if (this.#count === undefined) await this.ranges(Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER)
    return this.#count!
  }

  /** Splits the text from a position. Returns whether the end was reached. */
  async #walk(position: number, found: (from: number, to: number) => boolean): Promise<boolean> {
    const splitter = splitterAt(this.format, position)
    let pages = 0
    for await (const { at, text } of this.#view.pages(position)) {
      if (!splitter.feed(text, at, found)) return false
      if (++pages % PAGES_AT_ONCE === 0) await pause()
    }
    const last = splitter.end(this.#view.length)
    if (last !== undefined) found(...last)
    return true
  }
}

/** Reads the records of a view as values. CSV rows become objects with the names in the header row, which is not counted as a record. */
export class Records {
  readonly #view: TextView
  readonly #indexes = new Map<RecordFormat, RecordIndex>()
  #format: Promise<RecordFormat> | undefined

  constructor(view: TextView) {
    this.#view = view
  }

  async read(from: number = 0, to?: number, format?: RecordFormat): Promise<readonly Json[]> {
    const index = await this.#index(format)
    const header = isTable(index.format) ? await this.#row(index, 0) : undefined
    const skipped = header === undefined ? 0 : 1
    const [first, last] = await this.#bounds(from, to, format)
    const bound = Math.min(last, first + RESULT_ITEMS_MAX + 1)
    const ranges = bound > first ? await index.ranges(first + skipped, bound + skipped) : []
    if (ranges.length > RESULT_ITEMS_MAX)
      throw badCall(`One call gives at most ${RESULT_ITEMS_MAX} records, and these are more. Read fewer.`)
    const chars = ranges.reduce((sum, [start, end]) => sum + end - start, 0)
    if (chars > RESULT_CHARS_MAX)
      throw badCall(
        `These ${ranges.length} records have ${chars} characters; ${RESULT_CHARS_MAX} is the most. Read fewer.`,
      )
    const records: Json[] = []
    for (const [start, end] of ranges) {
      const text = await this.#view.read(start, end)
      const number = first + records.length
      records.push(
        header === undefined ? readJson(text, number) : rowOf(header, readRow(text, separator(index.format))),
      )
    }
    return records
  }

  async count(format?: RecordFormat): Promise<number> {
    const index = await this.#index(format)
    return Math.max((await index.count()) - (isTable(index.format) ? 1 : 0), 0)
  }

  /** Resolves record numbers to bounds. Negative numbers count from the end, which requires a pass over the whole text. */
  async #bounds(from: number, to: number | undefined, format?: RecordFormat): Promise<readonly [number, number]> {
    if (from >= 0 && to !== undefined && to >= 0) return [from, Math.max(from, to)]
    const count = await this.count(format)
    const place = (number: number): number => (number < 0 ? Math.max(count + number, 0) : Math.min(number, count))
    return [place(from), Math.max(place(from), place(to ?? count))]
  }

  async #row(index: RecordIndex, number: number): Promise<readonly string[]> {
    const [range] = await index.ranges(number, number + 1)
    return range === undefined ? [] : readRow(await this.#view.read(...range), separator(index.format))
  }

  async #index(given: RecordFormat | undefined): Promise<RecordIndex> {
    this.#format ??= given === undefined ? formatOf(this.#view) : undefined
    const format = given ?? (await this.#format!)
    let index = this.#indexes.get(format)
    if (index === undefined) {
      index = new RecordIndex(this.#view, format)
      this.#indexes.set(format, index)
    }
    return index
  }
}

function isTable(format: RecordFormat): boolean {
  return format === 'csv' || format === 'tsv'
}

function separator(format: RecordFormat): string {
  return format === 'tsv' ? '\t' : ','
}

function rowOf(header: readonly string[], values: readonly string[]): Json {
  return Object.fromEntries(values.map((value, index) => [header[index] ?? `column${index + 1}`, value]))
}
