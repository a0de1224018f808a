import { parseJson } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { badCall } from './limits.ts'
import type { TextView } from './text-view.ts'

/** Format of the records of a text: one JSON value per line, a JSON array, or rows of values with a header row. */
export type RecordFormat = 'jsonl' | 'json' | 'csv' | 'tsv'

export const RECORD_FORMATS: readonly RecordFormat[] = ['jsonl', 'json', 'csv', 'tsv']

const ENDINGS: Readonly<Record<string, RecordFormat>> = {
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  json: 'json',
  csv: 'csv',
  tsv: 'tsv',
}

/** Detects the format of a text by its file name extension or first character. */
export async function formatOf(view: TextView): Promise<RecordFormat> {
  const ending = /\.(\w+)$/.exec(view.text.label)?.[1]?.toLowerCase() ?? ''
  const named = Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined
  // Files ending in `.json` often contain one value per line.
  if (named !== undefined && named !== 'json') return named
  const first = (await view.read(0, 1_000)).trimStart()[0]
  if (first === '[') return 'json'
  if (first === '{') return 'jsonl'
  throw badCall(`The format of the records is not known. Give \`format\`: one of ${RECORD_FORMATS.join(', ')}.`)
}

/** Finds the start and end of records in a text that is passed in parts. */
interface RecordSplitter {
  /** Processes a part that starts at a position; calls `found` for each record that ends in it. Stops early and returns `false` when that returns `false`. */
  feed(text: string, at: number, found: (from: number, to: number) => boolean): boolean
  /** Returns the record that ends with the text, if there is one. */
  end(at: number): readonly [from: number, to: number] | undefined
}

/** Creates a splitter that starts at the beginning of a record. */
export function splitterAt(format: RecordFormat, position: number): RecordSplitter {
  if (format === 'json') return new ElementSplitter(position > 0)
  return new RowSplitter(position, format === 'jsonl' ? '' : '"')
}

/** Splits records at line breaks outside of quotes and skips blank ones. */
class RowSplitter implements RecordSplitter {
  readonly #quote: number
  #from: number
  #isQuoted = false
  #isBlank = true

  constructor(position: number, quote: string) {
    this.#from = position
    this.#quote = quote === '' ? -1 : quote.charCodeAt(0)
  }

  feed(text: string, at: number, found: (from: number, to: number) => boolean): boolean {
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      if (code === this.#quote) this.#isQuoted = !this.#isQuoted
      if (code !== 10 || this.#isQuoted) {
        if (code > 32) this.#isBlank = false
        continue
      }
      const from = this.#from
      const isBlank = this.#isBlank
      this.#from = at + index + 1
      this.#isBlank = true
      if (!isBlank && !found(from, at + index)) return false
    }
    return true
  }

  end(at: number): readonly [number, number] | undefined {
    return this.#isBlank ? undefined : [this.#from, at]
  }
}

/** Splits the elements of a JSON array. */
class ElementSplitter implements RecordSplitter {
  #depth: number
  #from = -1
  #isText = false
  #isEscaped = false

  constructor(isInside: boolean) {
    this.#depth = isInside ? 1 : 0
  }

  feed(text: string, at: number, found: (from: number, to: number) => boolean): boolean {
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      if (this.#isText) {
        this.#inText(code)
        continue
      }
      const isOpening = code === 0x5b || code === 0x7b
      const isClosing = code === 0x5d || code === 0x7d
      if (this.#depth === 1 && this.#from >= 0 && (isClosing || code === 0x2c)) {
        const from = this.#from
        this.#from = -1
        if (isClosing) this.#depth = 0
        if (!found(from, at + index)) return false
        continue
      }
      if (this.#depth === 1 && this.#from < 0 && code > 32 && code !== 0x2c && !isClosing) this.#from = at + index
      if (code === 0x22) this.#isText = true
      else if (isOpening) this.#depth += 1
      else if (isClosing) this.#depth -= 1
    }
    return true
  }

  #inText(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (code === 0x5c) this.#isEscaped = true
    else if (code === 0x22) this.#isText = false
  }

  end(): undefined {}
}

/** Parses a JSON record. */
export function readJson(text: string, record: number): Json {
  return parseJson(text, `Record ${record}`)
}

/** Parses a row into values. Inside a quoted value, quotes are doubled. */
export function readRow(text: string, separator: string): readonly string[] {
  const values: string[] = []
  const line = text.endsWith('\r') ? text.slice(0, -1) : text
  let at = 0
  for (;;) {
    let value = ''
    if (line[at] === '"') {
      let end = line.indexOf('"', at + 1)
      while (end >= 0 && line[end + 1] === '"') end = line.indexOf('"', end + 2)
      const close = end < 0 ? line.length : end
      value = line.slice(at + 1, close).replaceAll('""', '"')
      at = close + 1
    }
    const next = line.indexOf(separator, at)
    values.push(value + line.slice(at, next < 0 ? line.length : next))
    if (next < 0) return values
    at = next + 1
  }
}
