import type { Json } from '../../core/index.ts'

/** What is read next inside a container or a text. */
type Place = 'value' | 'key' | 'colon' | 'after' | 'string' | 'bare' | 'done' | 'broken'

/**
 * Reads a JSON object while it is being written, in one pass. Strings are given as far as they go; numbers, `true`, `false` and `null` once they are complete,
 * because half a number is another number; a member once its value has begun. Text before the first brace and after the last one is skipped.
 */
class PartialJson {
  #text = ''
  #at = 0
  #place: Place = 'value'
  /** The closing brackets of what is open, the innermost last. */
  readonly #open: string[] = []
  #isKey = false
  /** The end of what can be closed to make valid JSON. Brackets always move it, so `#open` belongs to it. */
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

  /** The text of the value so far, closed; `undefined` before the first brace, and of what is no JSON. */
  get closed(): string | undefined {
    if (this.#safe === 0 || this.#place === 'broken') return undefined
    const quote = this.#isInString ? '"' : ''
    return this.#text.slice(0, this.#safe) + quote + this.#open.toReversed().join('')
  }

  /** Takes the next character; `false` when the rest of it is still to come. */
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

  /** A number or a literal, up to what ends it. */
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

/** The objects that a text stands for while it is being written. */
export class PartialObject {
  #json = new PartialJson()
  #given = ''

  add(text: string): void {
    this.#json.add(text)
  }

  /** Begins anew: the text so far was withdrawn, or another one begins. */
  reset(): void {
    this.#json = new PartialJson()
  }

  /** The object so far, where it is another one than the last time. */
  take(): Json | undefined {
    const { closed } = this.#json
    if (closed === undefined || closed === this.#given) return undefined
    try {
      const value = JSON.parse(closed) as Json
      this.#given = closed
      return value
    } catch {
      // It is no JSON after all.
      return undefined
    }
  }
}
