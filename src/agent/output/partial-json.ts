import type { Json } from '../../core/index.ts'

/** The parser's state: what is expected next. */
type Place = 'value' | 'key' | 'colon' | 'after' | 'string' | 'bare' | 'done' | 'broken'

/**
 * An incremental parser of a JSON object. Strings are returned as far as they are received; numbers, `true`, `false` and `null` only when complete,
 * because half a number is another number; a member once its value has started. Text before the first brace and after the last one is skipped.
 */
class PartialJson {
  #text = ''
  #at = 0
  #place: Place = 'value'
  /** The closing brackets of the open containers, innermost last. */
  readonly #open: string[] = []
  #isKey = false
  /** The end of the prefix that can be closed to valid JSON. Brackets always move it, so `#open` matches it. */
  #safe = 0
  #isInString = false

  add(text: string): void {
    this.#text += text
    if (this.#at === 0) {
      const start = this.#text.indexOf('{')
      this.#text = start < 0 ? '' : this.#text.slice(start)
    }
    while (this.#at < this.#text.length && this.#place !== 'done' && this.#place !== 'broken' && this.#step()) continue
  }

  /** The closed text of the value so far; `undefined` before the first brace and for invalid JSON. */
  get closed(): string | undefined {
    if (this.#safe === 0 || this.#place === 'broken') return undefined
    const quote = this.#isInString ? '"' : ''
    return this.#text.slice(0, this.#safe) + quote + this.#open.toReversed().join('')
  }

  /** Takes the next character; returns `false` if more input is needed. */
  #step(): boolean {
    const char = this.#text[this.#at]!
    if (this.#place === 'string') return this.#string(char)
    if (this.#place === 'bare') this.#bare(char)
    else if (/\s/.test(char)) this.#at += 1
    else if (char === '}' || char === ']') this.#close(char)
    else if (this.#place === 'after') this.#next(char)
    else if (this.#place === 'colon') this.#go(char === ':' ? 'value' : 'broken')
    else this.#begin(char)
    return true
  }

  #begin(char: string): void {
    if (char === '"') {
      this.#isKey = this.#place === 'key'
      this.#go('string')
      if (!this.#isKey) this.#mark(this.#at, true)
    } else if (this.#place === 'key') this.#go('broken')
    else if (char === '{' || char === '[') {
      this.#open.push(char === '{' ? '}' : ']')
      this.#go(char === '{' ? 'key' : 'value')
      this.#mark(this.#at)
    } else this.#place = 'bare'
  }

  #string(char: string): boolean {
    const isEnd = char === '"'
    const length = isEnd ? 1 : this.#charLength(char)
    if (this.#at + length > this.#text.length) return false
    this.#at += length
    if (isEnd) this.#place = this.#isKey ? 'colon' : 'after'
    if (!this.#isKey) this.#mark(this.#at, !isEnd)
    return true
  }

  #charLength(char: string): number {
    if (char !== '\\') return /[\uD800-\uDBFF]/.test(char) ? 2 : 1
    if (this.#text[this.#at + 1] !== 'u') return 2
    // Two escapes of one character stay together.
    const isFirst = /^\\u[dD][89abAB]/.test(this.#text.slice(this.#at, this.#at + 4))
    return isFirst && (this.#text[this.#at + 6] ?? '\\') === '\\' ? 12 : 6
  }

  /** A number or a literal, up to its terminator. */
  #bare(char: string): void {
    if (!/[\s,\]}]/.test(char)) {
      this.#at += 1
      return
    }
    this.#mark(this.#at)
    this.#place = 'after'
  }

  #next(char: string): void {
    this.#go(char !== ',' ? 'broken' : this.#open.at(-1) === '}' ? 'key' : 'value')
  }

  #close(char: string): void {
    if (this.#open.pop() !== char) return this.#go('broken')
    this.#go(this.#open.length === 0 ? 'done' : 'after')
    this.#mark(this.#at)
  }

  #go(place: Place): void {
    this.#at += 1
    this.#place = place
  }

  #mark(end: number, isInString = false): void {
    this.#safe = end
    this.#isInString = isInString
  }
}

/** The partial objects of a text while it is received. */
export class PartialObject {
  #json = new PartialJson()
  #given = ''

  add(text: string): void {
    this.#json.add(text)
  }

  /** Starts again: the text so far was withdrawn, or another one starts. */
  reset(): void {
    this.#json = new PartialJson()
  }

  /** The object so far, if it has changed since the last call. */
  take(): Json | undefined {
    const { closed } = this.#json
    if (closed === undefined || closed === this.#given) return undefined
    try {
      const value = JSON.parse(closed) as Json
      this.#given = closed
      return value
    } catch {
      // The text is not valid JSON.
      return undefined
    }
  }
}
