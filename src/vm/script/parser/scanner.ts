import { digitOf, isBlank, isLineBreak, isNamePart, isNameStart, isSpecial } from './characters.ts'
import { checkDepth, refusedProblem, syntaxProblem } from '../problem.ts'
import type { RefusedFeature } from '../refusals.ts'

/** The kinds of token. */
export const END = 0
export const NAME = 1
export const NUMBER = 2
export const STRING = 3
export const MARK = 4
export const TEMPLATE = 5
/** `#name`. */
export const PRIVATE = 6

/** The position of a scanner, which allows a parser to backtrack. */
interface Place {
  readonly at: number
  readonly kind: number
  readonly text: string
  readonly number: number
  readonly start: number
  readonly previousEnd: number
  readonly lineBefore: boolean
  readonly isEscaped: boolean
  readonly isSpecial: boolean
}

const singles = '{}()[];,<>+-*/%&|^!~?:=.@'
const longer =
  '>>>= === !== **= ... <<= >>= >>> &&= ||= ??= == != <= >= && || ?? ?. => ++ -- += -= *= /= %= &= |= ^= ** << >>'.split(
    ' ',
  )
/** Punctuators by their first character code, longest first. */
const marks: (string[] | undefined)[] = Array.from({ length: 128 })
for (const mark of longer.concat(singles.split(''))) (marks[mark.charCodeAt(0)] ??= []).push(mark)
const simpleEscapes = new Map([
  [110, '\n'],
  [116, '\t'],
  [114, '\r'],
  [98, '\b'],
  [118, '\v'],
  [102, '\f'],
])

/** Reads one token at a time; the parser above decides where a `/` begins a regular expression. */
export class Scanner {
  readonly source: string
  at = 0
  kind: number = END
  /** The name, the mark, or the cooked value of a string. */
  text = ''
  number = 0
  start = 0
  previousEnd = 0
  lineBefore = false
  isEscaped = false
  /** Whether the escapes of the last template text were valid. */
  isCooked = true
  /** Whether the name may be a keyword. */
  isSpecial = false
  depth = 0
  readonly maxDepth: number

  constructor(source: string, maxDepth: number) {
    this.source = source
    this.maxDepth = maxDepth
    // A first line for the shell (`#!`) is not part of the program.
    if (source.startsWith('#!')) this.skipLine()
  }

  fail(message: string, at: number = this.start): never {
    throw syntaxProblem(this.source, at, message)
  }

  refuse(feature: RefusedFeature, at: number = this.start): never {
    throw refusedProblem(this.source, at, feature)
  }

  unexpected(): never {
    if (this.kind === END) this.fail('The script ends too early: something is not closed')
    const shown = this.source.slice(this.start, Math.min(this.at, this.start + 20))
    this.fail(`Unexpected ${JSON.stringify(shown)}`)
  }

  /** Counts a nesting level, so that no source can exhaust the native stack. */
  enter(): void {
    this.depth += 1
    checkDepth(this.depth, this.maxDepth, this.source, this.start)
  }

  place(): Place {
    const { at, kind, text, number, start, previousEnd, lineBefore, isEscaped, isSpecial: special } = this
    return { at, kind, text, number, start, previousEnd, lineBefore, isEscaped, isSpecial: special }
  }

  restore(place: Place): void {
    this.at = place.at
    this.kind = place.kind
    this.text = place.text
    this.number = place.number
    this.start = place.start
    this.previousEnd = place.previousEnd
    this.lineBefore = place.lineBefore
    this.isEscaped = place.isEscaped
    this.isSpecial = place.isSpecial
  }

  next(): void {
    this.previousEnd = this.at
    this.skipSpace()
    const { source, at } = this
    this.start = at
    if (at >= source.length) {
      this.kind = END
      this.text = ''
      return
    }
    const code = source.charCodeAt(at)
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 36 || code === 95) this.readName()
    else if (code >= 48 && code <= 57) this.readNumber()
    else if (code === 34 || code === 39) this.readString(code)
    else if (code === 96) {
      this.kind = TEMPLATE
      this.text = '`'
      this.at = at + 1
    } else this.readMark(code)
  }

  /** Returns the position of the first non-space character after the current token, which excludes most possible continuations. */
  protected afterSpaces(): number {
    let { at } = this
    while (this.source.charCodeAt(at) === 32) at += 1
    return at
  }

  private skipLine(): void {
    while (this.at < this.source.length && !isLineBreak(this.source.charCodeAt(this.at))) this.at += 1
  }

  private skipSpace(): void {
    const { source } = this
    this.lineBefore = false
    for (;;) {
      const code = source.charCodeAt(this.at)
      if (code === 32) this.at += 1
      else if (isLineBreak(code)) {
        this.lineBefore = true
        this.at += 1
      } else if (code === 47) {
        if (!this.skipComment()) return
      } else if (isBlank(code)) this.at += 1
      else return
    }
  }

  private skipComment(): boolean {
    const { source } = this
    const follower = source.charCodeAt(this.at + 1)
    if (follower === 47) {
      this.skipLine()
      return true
    }
    if (follower !== 42) return false
    const close = source.indexOf('*/', this.at + 2)
    if (close < 0) this.fail('A comment is not closed', this.at)
    for (let at = this.at; at < close; at += 1) {
      if (isLineBreak(source.charCodeAt(at))) {
        this.lineBefore = true
        break
      }
    }
    this.at = close + 2
    return true
  }

  private readMark(code: number): void {
    const { source, at } = this
    if (code === 46 && digitOf(source.charCodeAt(at + 1)) < 10) return this.readNumber()
    const candidates = marks[code]
    if (candidates === undefined) {
      if (code === 92 || code > 127) return this.readName()
      if (code === 35) return this.readPrivate()
      this.fail(`Unexpected character ${JSON.stringify(source[at])}`)
    }
    if (code === 60 && source.startsWith('<!--', at)) this.refuse('html-comment')
    if (code === 45 && this.lineBefore && source.startsWith('-->', at)) this.refuse('html-comment')
    this.kind = MARK
    this.text = this.longestMark(candidates)
    this.at = at + this.text.length
  }

  private longestMark(candidates: readonly string[]): string {
    const { source, at } = this
    const last = candidates.length - 1
    for (let i = 0; i < last; i += 1) {
      const mark = candidates[i]!
      if (!source.startsWith(mark, at)) continue
      // In `a?.5:b` the question mark is a token of its own.
      if (mark !== '?.' || digitOf(source.charCodeAt(at + 2)) > 9) return mark
    }
    return candidates[last]!
  }

  private readName(): void {
    const { source } = this
    const from = this.at
    let at = from
    let code = source.charCodeAt(at)
    while (
      (code >= 97 && code <= 122) ||
      (code >= 65 && code <= 90) ||
      (code >= 48 && code <= 57) ||
      code === 36 ||
      code === 95
    ) {
      at += 1
      code = source.charCodeAt(at)
    }
    this.kind = NAME
    this.isEscaped = false
    if (code !== 92 && !(code > 127)) {
      const name = source.slice(from, at)
      this.text = name
      this.at = at
      this.isSpecial = isSpecial(name)
      return
    }
    this.readUnusualName()
    this.isSpecial = isSpecial(this.text)
  }

  private readPrivate(): void {
    this.at += 1
    if (!isNameStart(this.source.codePointAt(this.at) ?? 0)) this.fail('Unexpected character "#"')
    this.readName()
    this.kind = PRIVATE
    this.isSpecial = false
    this.text = `#${this.text}`
  }

  private readUnusualName(): void {
    const { source } = this
    let name = ''
    while (this.at < source.length) {
      let code = source.codePointAt(this.at) as number
      let width = code > 0xffff ? 2 : 1
      if (code === 92) {
        if (source.charCodeAt(this.at + 1) !== 117) this.fail('Unexpected backslash', this.at)
        const from = this.at
        this.at += 2
        code = this.readUnicodeEscape()
        if (!(name === '' ? isNameStart(code) : isNamePart(code))) this.fail('This escape is no part of a name', from)
        this.isEscaped = true
        width = 0
      } else if (!(name === '' ? isNameStart(code) : isNamePart(code))) break
      name += String.fromCodePoint(code)
      this.at += width
    }
    if (name === '') this.fail(`Unexpected character ${JSON.stringify(source[this.at])}`)
    this.text = name
  }

  /** Reads the digits after `\u`: four hexadecimal ones, or any number of them in braces. */
  private readUnicodeEscape(): number {
    const { source } = this
    if (source.charCodeAt(this.at) !== 123) return this.readHex(4)
    const close = source.indexOf('}', this.at)
    const digits = source.slice(this.at + 1, close < 0 ? this.at + 1 : close)
    if (!/^[0-9a-f]+$/i.test(digits)) this.fail('A Unicode escape needs hexadecimal digits', this.at)
    const code = Number.parseInt(digits, 16)
    if (code > 0x10ffff) this.fail('A Unicode escape is at most 10FFFF', this.at)
    this.at = close + 1
    return code
  }

  private readHex(count: number): number {
    let value = 0
    for (let index = 0; index < count; index += 1) {
      const digit = digitOf(this.source.charCodeAt(this.at))
      if (digit > 15) this.fail(`An escape needs ${count} hexadecimal digits`, this.at)
      value = value * 16 + digit
      this.at += 1
    }
    return value
  }

  private readString(quote: number): void {
    const { source } = this
    this.kind = STRING
    let text = ''
    let from = this.at + 1
    this.at = from
    for (;;) {
      const code = source.charCodeAt(this.at)
      if (code === quote) break
      if (Number.isNaN(code) || code === 10 || code === 13) this.fail('A string is not closed')
      if (code === 92) {
        text += source.slice(from, this.at)
        this.at += 1
        text += this.readEscape()
        from = this.at
      } else this.at += 1
    }
    this.text = text + source.slice(from, this.at)
    this.at += 1
  }

  /** After a backslash in a string or a template. */
  private readEscape(): string {
    const { source } = this
    const code = source.charCodeAt(this.at)
    this.at += 1
    const simple = simpleEscapes.get(code)
    if (simple !== undefined) return simple
    if (code === 117) return String.fromCodePoint(this.readUnicodeEscape())
    if (code === 120) return String.fromCharCode(this.readHex(2))
    if (code >= 48 && code <= 57) {
      if (code === 48 && digitOf(source.charCodeAt(this.at)) > 9) return '\0'
      this.refuse('octal', this.at - 2)
    }
    if (code === 13 && source.charCodeAt(this.at) === 10) this.at += 1
    if (Number.isNaN(code)) this.fail('A string is not closed')
    return isLineBreak(code) ? '' : (source[this.at - 1] as string)
  }

  /** Reads an escape of a tagged template. Invalid escapes are allowed: their text has no cooked form. */
  private readTaggedEscape(): string {
    const { at } = this
    try {
      return this.readEscape()
    } catch {
      this.isCooked = false
      this.at = at + 1
      return ''
    }
  }

  /** Reads the text of a template up to `${` or the closing back quote; true at the closing one. */
  readTemplateText(isTagged = false): boolean {
    const { source } = this
    this.isCooked = true
    let text = ''
    let from = this.at
    for (;;) {
      const code = source.charCodeAt(this.at)
      if (Number.isNaN(code)) this.fail('A template is not closed')
      const isEnd = code === 96
      if (isEnd || (code === 36 && source.charCodeAt(this.at + 1) === 123)) {
        this.text = text + source.slice(from, this.at)
        this.at += isEnd ? 1 : 2
        return isEnd
      }
      if (code === 92 || code === 13) {
        text += source.slice(from, this.at)
        this.at += 1
        if (code === 92) text += isTagged ? this.readTaggedEscape() : this.readEscape()
        else {
          // Line ends in templates are always line feeds.
          text += '\n'
          if (source.charCodeAt(this.at) === 10) this.at += 1
        }
        from = this.at
      } else this.at += 1
    }
  }

  /** Reads a regular expression. The current token is a `/` or `/=` where an expression starts. */
  readRegex(): { pattern: string; flags: string } {
    const { source, start } = this
    this.at = start + 1
    for (let inClass = false; ; this.at += 1) {
      const code = source.charCodeAt(this.at)
      if (Number.isNaN(code) || isLineBreak(code)) this.fail('A regular expression is not closed', start)
      if (code === 92) {
        this.at += 1
        if (isLineBreak(source.charCodeAt(this.at))) this.fail('A regular expression is not closed', start)
      } else if (code === 91) inClass = true
      else if (code === 93) inClass = false
      else if (code === 47 && !inClass) break
    }
    const pattern = source.slice(start + 1, this.at)
    const from = this.at + 1
    this.at = from
    while (isNamePart(source.charCodeAt(this.at) || 0)) this.at += 1
    return { pattern, flags: source.slice(from, this.at) }
  }

  private readNumber(): void {
    const { source, at } = this
    this.kind = NUMBER
    const second = source.charCodeAt(at + 1) | 32
    if (source.charCodeAt(at) === 48) {
      if (second === 120) return this.readRadix(16)
      if (second === 111) return this.readRadix(8)
      if (second === 98) return this.readRadix(2)
      if (digitOf(source.charCodeAt(at + 1)) < 10) this.refuse('octal')
      if (source.charCodeAt(at + 1) === 95) this.fail('A number cannot begin with 0_')
    }
    this.readDigits(10)
    if (source.charCodeAt(this.at) === 46) {
      this.at += 1
      if (digitOf(source.charCodeAt(this.at)) < 10) this.readDigits(10)
    }
    if ((source.charCodeAt(this.at) | 32) === 101) {
      this.at += 1
      const sign = source.charCodeAt(this.at)
      if (sign === 43 || sign === 45) this.at += 1
      if (digitOf(source.charCodeAt(this.at)) > 9) this.fail('A number needs digits after its exponent')
      this.readDigits(10)
    }
    const digits = source.slice(at, this.at)
    this.number = Number(digits.includes('_') ? digits.replaceAll('_', '') : digits)
    this.endNumber()
  }

  private readRadix(base: number): void {
    const from = this.at
    this.at += 2
    if (digitOf(this.source.charCodeAt(this.at)) >= base) this.fail('A number needs digits after its prefix')
    this.readDigits(base)
    this.number = Number(this.source.slice(from, this.at).replaceAll('_', ''))
    this.endNumber()
  }

  private readDigits(base: number): void {
    const { source } = this
    for (;;) {
      const code = source.charCodeAt(this.at)
      if (code === 95) {
        const isBetween =
          digitOf(source.charCodeAt(this.at - 1)) < base && digitOf(source.charCodeAt(this.at + 1)) < base
        if (!isBetween) this.fail('A separator stands between two digits', this.at)
      } else if (digitOf(code) >= base) return
      this.at += 1
    }
  }

  private endNumber(): void {
    const code = this.source.charCodeAt(this.at)
    if (code === 110) this.refuse('bigint')
    if (isNameStart(code || 0) || digitOf(code) < 10) this.fail('A number runs into the next word', this.at)
  }
}
