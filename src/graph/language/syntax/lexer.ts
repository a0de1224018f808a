import { DIRECTION } from '../../../core/index.ts'
import type { Span } from '../../blueprint/blueprint.ts'
import type { Report } from '../../blueprint/report.ts'
import { characters } from './characters.ts'
import { RAG_LIMITS } from './limits.ts'
import { readTextLiteral } from './text-literal.ts'
import { NAME } from '../../blueprint/name.ts'
import { SIGNS, UNITS } from './token.ts'
import type { Comment, Token } from './token.ts'

const SPACE = /[ \t\r\n\uFEFF]*/y
const SINGLE: ReadonlySet<string> = new Set(SIGNS.filter((sign) => sign.length === 1))
const COMMENT = /\/\/[^\n]*/y
/** Also matches names of other languages, so that an invalid name is one finding instead of several. */
const WORD = /[\p{L}_][\p{L}\p{N}\p{M}_]*(?:-[\p{L}\p{N}_]+)*/uy
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+(?![\p{L}_]))?/uy
const UNIT = /[\p{L}\p{N}_]*/uy
/** Operators of other languages, and their replacements here. */
const FOREIGN: readonly (readonly [pattern: RegExp, help: string])[] = [
  [/\/\*[^]*?(?:\*\/|$)/y, 'Begin a comment with `//`; it ends with its line.'],
  [/[#/][^\n]*/y, 'Begin a comment with `//`.'],
  [/'[^'\n]*'?/y, 'Write texts in double quotes.'],
  [/`[^`\n]*`?/y, 'Write texts in double quotes, those of several lines between `"""`.'],
  [/;/y, 'Leave the semicolon out: items need no end.'],
  [/=>|=/y, 'Write `key value` or `key: value`; the way to a node is `->`.'],
  [/[()]/y, 'Leave the parenthesis out.'],
]

/** Splits a text into tokens. Invalid characters are reported and skipped, so that the rest can be parsed. */
export function readTokens(source: string, report: Report): Token[] {
  if (source.length <= RAG_LIMITS.length) return new Lexer(source, report).read()
  report.error('E-rag-too-large', `The text has ${source.length} characters; the limit is ${RAG_LIMITS.length}.`, {
    help: 'Divide it: a graph can run other graphs by name (`kind subgraph`).',
  })
  return new Lexer('', report).read()
}

class Lexer {
  readonly #source: string
  readonly #report: Report
  #at = 0
  #line = 1
  #column = 1
  #comments: Comment[] = []
  /** Line breaks since the last token or comment. */
  #breaks = 1
  #isFirst = true

  constructor(source: string, report: Report) {
    this.#source = source
    this.#report = report
  }

  read(): Token[] {
    const tokens: Token[] = []
    for (;;) {
      this.#skipSpace()
      if (this.#report.isFull) this.#at = this.#source.length
      const token = this.#next()
      if (token === undefined) continue
      tokens.push(token)
      this.#comments = []
      this.#breaks = 0
      this.#isFirst = false
      if (token.kind === 'end') return tokens
    }
  }

  #skipSpace(): void {
    for (;;) {
      this.#span(this.#match(SPACE) ?? '')
      const text = this.#match(COMMENT)
      if (text === undefined) return
      const isTrailing = this.#breaks === 0
      this.#comments.push({ text: text.trimEnd(), isTrailing, isApart: this.#breaks > 1 })
      this.#breaks = 0
      this.#warnOfHidden(text, this.#span(text))
    }
  }

  #next(): Token | undefined {
    if (this.#at >= this.#source.length) return this.#token('end', '', this.#span(''))
    const first = this.#source[this.#at]!
    if (first === '"') return this.#text()
    if (SINGLE.has(first)) return this.#token('sign', first, this.#span(first))
    const word = this.#match(WORD)
    if (word !== undefined) return this.#word(word)
    const number = this.#match(NUMBER)
    if (number !== undefined) return this.#number(number)
    const sign = SIGNS.find((candidate) => this.#source.startsWith(candidate, this.#at))
    return sign === undefined ? this.#foreign() : this.#token('sign', sign, this.#span(sign))
  }

  #word(raw: string): Token {
    const span = this.#span(raw)
    if (NAME.test(raw)) return this.#token('word', raw, span)
    const mended = raw
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[^A-Za-z0-9_]/g, '_')
    this.#report.error('E-rag-invalid-name', `\`${raw}\` is not a name: names are letters, digits and \`_\`.`, {
      span,
      help: `Write \`${mended}\`, or a text in quotes where one is allowed.`,
    })
    return this.#token('word', raw, span)
  }

  #number(raw: string): Token {
    UNIT.lastIndex = this.#at + raw.length
    const unit = UNIT.exec(this.#source)![0]
    const span = this.#span(raw + unit)
    const value = Number(raw)
    if (unit === '' && Number.isFinite(value)) return this.#token('number', raw, span, value)
    if (Object.hasOwn(UNITS, unit) && !raw.startsWith('-')) {
      const ms = value * UNITS[unit as keyof typeof UNITS]
      if (Number.isSafeInteger(ms)) return this.#token('duration', raw + unit, span, ms)
    }
    const problem = unit === '' ? 'is too large a number' : 'is neither a number nor a duration'
    this.#report.error('E-rag-invalid-number', `\`${raw}${unit}\` ${problem}.`, {
      span,
      help: `Durations are whole milliseconds, written with a unit: ${Object.keys(UNITS).join(', ')}, such as \`90s\`.`,
    })
    return this.#token(unit === '' ? 'number' : 'duration', raw + unit, span, 1)
  }

  #text(): Token {
    const { value, end, isClosed, badEscapes } = readTextLiteral(this.#source, this.#at)
    const raw = this.#source.slice(this.#at, end)
    for (const bad of badEscapes) {
      const shown = this.#source.slice(bad.start, bad.end)
      this.#report.error('E-rag-invalid-escape', `\`${shown}\` is not an escape.`, {
        span: this.#within(bad.start, bad.end),
        help: 'The escapes are `\\n`, `\\t`, `\\r`, `\\\\`, `\\"` and `\\u{…}` with the number of a character in hexadecimal.',
      })
    }
    const span = this.#span(raw)
    if (!isClosed)
      this.#report.error('E-rag-unterminated-string', 'The text has no closing quote.', {
        span: raw.startsWith('"""') ? { ...span, end: span.start + 3 } : span,
        help: raw.startsWith('"""')
          ? 'Close it with `"""`.'
          : 'Close it on the same line, or write texts of several lines between `"""`.',
      })
    if (!value.isWellFormed())
      this.#report.error('E-rag-unexpected-character', 'The text holds half of a surrogate pair.', { span })
    this.#warnOfHidden(value === raw.slice(1, -1) ? value : raw, span)
    return this.#token('text', raw, span, value)
  }

  #foreign(): Token | undefined {
    for (const [pattern, help] of FOREIGN) {
      const found = this.#match(pattern)
      if (found === undefined) continue
      const shown = found.length > 2 ? found.slice(0, 2).trimEnd() : found
      const message = /^['`]/.test(found)
        ? `\`${found[0]}\` does not begin a text.`
        : `\`${shown}\` means nothing here.`
      const span = this.#span(found)
      this.#report.error('E-rag-unexpected-character', message, { span, help })
      return /^['`]/.test(found) ? this.#token('text', found, span, found.slice(1, -1)) : undefined
    }
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at)!)
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    const shown = /[\p{C}\p{Z}]/u.test(character) ? `The character U+${code}` : `\`${character}\``
    this.#report.error('E-rag-unexpected-character', `${shown} means nothing here.`, { span: this.#span(character) })
    return undefined
  }

  /** Warns of bidirectional marks, which would display another text to a reviewer than the one that runs. */
  #warnOfHidden(text: string, span: Span): void {
    const found = DIRECTION.exec(text)
    if (found === null) return
    const code = found[0].charCodeAt(0).toString(16)
    this.#report.warning(
      'W-rag-hidden-character',
      `The character U+${code.toUpperCase()} changes the direction of writing.`,
      {
        span,
        help: `Leave it out, or write it as \`\\u{${code}}\` in a text.`,
      },
    )
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#source)?.[0]
  }

  /** Advances past a piece of the source and returns its position. */
  #span(piece: string): Span {
    const span = { start: this.#at, end: this.#at + piece.length, line: this.#line, column: this.#column }
    this.#at += piece.length
    const lastBreak = piece.lastIndexOf('\n')
    if (lastBreak === -1) this.#column += characters(piece)
    else {
      const breaks = piece.split('\n').length - 1
      this.#line += breaks
      this.#breaks += breaks
      this.#isFirst = true
      this.#column = 1 + characters(piece.slice(lastBreak + 1))
    }
    return span
  }

  /** The position of a part of the piece that starts here. */
  #within(start: number, end: number): Span {
    const before = this.#source.slice(this.#at, start)
    const lastBreak = before.lastIndexOf('\n')
    const column = lastBreak === -1 ? this.#column + characters(before) : 1 + characters(before.slice(lastBreak + 1))
    return { start, end, line: this.#line + before.split('\n').length - 1, column }
  }

  #token(kind: Token['kind'], raw: string, span: Span, value: string | number = raw): Token {
    const { start, end, line, column } = span
    return {
      kind,
      raw,
      value,
      start,
      end,
      line,
      column,
      comments: this.#comments,
      isFirst: this.#isFirst,
      isApart: this.#breaks > 1,
    }
  }
}
