import { invalid } from './refusals.ts'

/** What a text is made of, besides names, numbers and quoted texts. Longest first. */
const SIGN = /[=!]==?|\?\.(?!\d)|\?\?|\*\*|&&|\|\||[<>]=|[-+*/%<>!?:.,()[\]{}`]/y
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy
const NUMBER = /(?:0[xX][\dA-Fa-f]+|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.$])/y
const SPACE = /\s*/y

/** `value` is there for what has one: texts and numbers. */
export interface Token {
  readonly type: 'sign' | 'name' | 'value' | 'end'
  readonly text: string
  readonly start: number
  readonly value?: string | number
}

/** What people write out of habit, and what to write instead. Whatever else ends in `=` assigns. */
const HABIT = /=(?!=)>?|&(?!&)|\|(?!\|)|<>|<<|>>|\+\+|--|\.\.\.|\/[/*]|[-+*/%]=|[;#~^“”‘’]/y
const CORRECTIONS: { readonly [found: string]: string } = {
  '&': 'Use && for "and".',
  '|': 'Use || for "or".',
  '<>': 'Use != for "not equal".',
  ';': 'An expression is one value: leave out the semicolon.',
  '++': 'Use + 1: an expression changes nothing.',
  '--': 'Use - 1: an expression changes nothing. (Two minus signs need a space between them.)',
  '=>': 'There are no functions here.',
  '...': 'There is no spread here.',
  '^': 'Use ** for powers.',
  '~': 'There are no operations on bits.',
  '<<': 'There are no operations on bits.',
  '>>': 'There are no operations on bits.',
  '#': 'There are no comments here.',
  '//': 'There are no comments here.',
  '/*': 'There are no comments here.',
  '“': 'Use straight quotes.',
  '”': 'Use straight quotes.',
  '‘': 'Use straight quotes.',
  '’': 'Use straight quotes.',
}
const ESCAPES: { readonly [letter: string]: string } = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' }

/** Reads a text sign by sign. */
export class Scanner {
  readonly text: string
  /** Where the next sign is looked for. */
  offset = 0
  /** Whether the last part of a template is followed by a value. */
  isOpen = false

  constructor(text: string) {
    this.text = text.replaceAll(/\r\n?/g, '\n')
  }

  /** Throws with the place, the line and column, and what to write instead. */
  fail(start: number, problem: string): never {
    const before = this.text.slice(0, start).split('\n')
    const line = before.length
    const column = before[line - 1]!.length + 1
    const place = line === 1 ? `column ${column}` : `line ${line}, column ${column}`
    throw invalid(`${problem} (at ${place} of \`${shorten(this.text)}\`)`, { offset: start, line, column })
  }

  next(): Token {
    this.#take(SPACE)
    const start = this.offset
    if (start === this.text.length) return { type: 'end', text: '', start }
    const habit = this.#take(HABIT)
    if (habit !== '') {
      this.fail(
        start,
        `\`${habit}\` cannot be used. ${CORRECTIONS[habit] ?? 'Use == to compare: an expression assigns nothing.'}`,
      )
    }
    const name = this.#take(NAME)
    if (name !== '') return { type: 'name', text: name, start }
    const first = this.text[start]!
    if (first === '"' || first === "'") {
      const value = this.quoted(first)
      return { type: 'value', text: this.text.slice(start, this.offset), value, start }
    }
    if (/[.\d]/.test(first)) {
      const number = this.#take(NUMBER)
      if (number !== '') return { type: 'value', text: number, value: this.#number(number, start), start }
      if (first !== '.') this.fail(start, `\`${/^[\w.]+/.exec(this.text.slice(start))![0]}\` is not a number.`)
    }
    const sign = this.#take(SIGN)
    if (sign === '') this.fail(start, `\`${String.fromCodePoint(this.text.codePointAt(start)!)}\` means nothing here.`)
    return { type: 'sign', text: sign, start }
  }

  /** A quoted text, from the sign that opens it to the one that closes it; a template also stops at `${`, which sets `isOpen`. */
  quoted(quote: string): string {
    const start = this.offset++
    let value = ''
    for (;;) {
      const letter = this.text[this.offset]
      if (letter === undefined || (letter === '\n' && quote !== '`')) {
        this.fail(start, `The text has no end. Close it with ${quote}`)
      }
      this.isOpen = quote === '`' && this.text.startsWith('${', this.offset)
      this.offset += this.isOpen ? 2 : 1
      if (this.isOpen || letter === quote) return value
      value += letter === '\\' ? this.#escape() : letter
    }
  }

  #escape(): string {
    const start = this.offset - 1
    const letter = this.text[this.offset++] ?? ''
    if (letter !== '' && `'"\`\\$`.includes(letter)) return letter
    if (Object.hasOwn(ESCAPES, letter) && !/^0\d/.test(this.text.slice(this.offset - 1))) return ESCAPES[letter]!
    const code = /^(?:u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2})|u\{([\dA-Fa-f]{1,6})\})/.exec(
      this.text.slice(start + 1, start + 11),
    )
    const point = code === null ? Infinity : Number.parseInt((code[1] ?? code[2] ?? code[3])!, 16)
    if (point > 0x10_ff_ff) this.fail(start, `\\${letter} is no escape. For a backslash write \\\\.`)
    this.offset = start + 1 + code![0].length
    return String.fromCodePoint(point)
  }

  #number(text: string, start: number): number {
    const value = Number(text)
    return Number.isFinite(value) ? value : this.fail(start, `\`${text}\` is too large for a number.`)
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.offset
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.offset += found.length
    return found
  }
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
