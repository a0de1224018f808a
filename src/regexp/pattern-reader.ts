import { PatternProblem } from './syntax.ts'

const CONTROLS = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
])

/** Tokenizes a pattern: single characters, escapes and classes. */
export class PatternReader {
  protected at = 0
  protected readonly source: string
  protected readonly isUnicode: boolean
  /** Whether the flag `v` is set: classes can be nested, subtracted and intersected. */
  readonly #hasSets: boolean
  /** Number of groups in the whole pattern. The meaning of an escape depends on later groups, too. */
  protected readonly groupCount: number
  protected readonly hasNames: boolean
  readonly #known = new Set<string>()

  constructor(source: string, flags: string) {
    this.source = source
    this.isUnicode = /[uv]/.test(flags)
    this.#hasSets = flags.includes('v')
    const opened = source.replaceAll(/\\[\s\S]|\[(?:[^\]\\]|\\[\s\S])*\]?/g, '')
    this.groupCount = (opened.match(/\((?!\?)|\(\?<(?![=!])/g) ?? []).length
    this.hasNames = /\(\?<(?![=!])/.test(opened)
  }

  protected fail(message: string): never {
    throw new PatternProblem(`Invalid regular expression: /${this.source.slice(0, 80)}/: ${message}`, false)
  }

  protected refuse(what: string): never {
    const hint = 'Expressions run in linear time here; match the surrounding text too and take a group.'
    throw new PatternProblem(`${what} is not available in /${this.source.slice(0, 80)}/. ${hint}`, true)
  }

  protected refuseBackReference(): never {
    const hint = 'Expressions run in linear time here: compare the parts in code, as in `text[i] === text[i - 1]`.'
    throw new PatternProblem(`A back-reference is not available in /${this.source.slice(0, 80)}/. ${hint}`, true, true)
  }

  protected peek(ahead: number = 0): string {
    return this.source[this.at + ahead] ?? ''
  }

  /** Consumes what a pattern matches at the current position; returns null if it does not match. */
  protected take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source)
    if (found !== null) this.at = pattern.lastIndex
    return found
  }

  protected codePoint(): number {
    const code = this.isUnicode ? (this.source.codePointAt(this.at) as number) : this.source.charCodeAt(this.at)
    this.at += code > 0xffff ? 2 : 1
    return code
  }

  /** Consumes a class escape or a property escape at the current position. The syntax is the same inside and outside of brackets. */
  protected takeSet(): boolean {
    if (this.take(/\\[dDsSwW]/y) !== null) return true
    if (!this.isUnicode || this.take(/\\[pP]/y) === null) return false
    const name = this.take(/\{[\w=]+\}/y)?.[0] ?? this.fail('Invalid property name')
    if (!this.#known.has(name)) this.#checkProperty(name)
    return true
  }

  /** Validates a Unicode property with the platform's `RegExp`. */
  #checkProperty(name: string): void {
    try {
      this.#known.add(name)
      RegExp(`\\p${name}`, 'u')
    } catch {
      if (this.#hasSets && isClass(`\\p${name}`)) this.refuse('A property of strings')
      this.fail('Invalid property name')
    }
  }

  /** Reads an escape of one character. */
  protected charEscape(): number {
    const char = this.peek(1)
    if (char === '') this.fail('\\ at end of pattern')
    if (char >= '1' && char <= '9') this.refuse('A legacy octal escape')
    this.at += 2
    const control = CONTROLS.get(char)
    if (control !== undefined) return control
    if (char === '0') {
      if (/\d/.test(this.peek())) this.refuse('A legacy octal escape')
      return 0
    }
    if (char === 'c' && /[a-z]/i.test(this.peek())) return this.codePoint() % 32
    const code = char === 'x' ? this.#hex(/[\da-f]{2}/iy) : char === 'u' ? this.#unicodeEscape() : undefined
    return code ?? this.#identity(char)
  }

  /** Reads an escaped character that represents itself. */
  #identity(char: string): number {
    const isKnown = this.isUnicode ? /[\^$\\.*+?()[\]{}|/]/.test(char) : char !== 'k' || !this.hasNames
    if (!isKnown) this.fail('Invalid escape')
    this.at -= 1
    // Without a following letter, `\c` is a backslash followed by a plain c.
    return char === 'c' ? 92 : this.codePoint()
  }

  #hex(digits: RegExp): number | undefined {
    const found = this.take(digits)
    return found === null ? undefined : Number.parseInt(found[0], 16)
  }

  #unicodeEscape(): number | undefined {
    if (!this.isUnicode) return this.#hex(/[\da-f]{4}/iy)
    const pair = this.take(/(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})/iy)
    if (pair !== null) return Number.parseInt(pair[1]!, 16) * 0x400 + Number.parseInt(pair[2]!, 16) - 0x35f_dc00
    const code = Number.parseInt(this.take(/[\da-f]{4}|\{([\da-f]+)\}/iy)?.[0].replace('{', '') ?? '', 16)
    if (code > 0x10ffff) this.fail('Invalid Unicode escape')
    return Number.isNaN(code) ? undefined : code
  }

  /** Reads and validates a class in brackets. Its members are determined by the platform's `RegExp` later. */
  protected takeClass(): void {
    if (this.#hasSets) return this.#takeNestedClass()
    this.take(/\[\^?/y)
    while (this.peek() !== ']') {
      const from = this.#classAtom()
      if (this.peek() !== '-' || this.peek(1) === ']') continue
      this.at += 1
      const to = this.#classAtom()
      if (from === undefined || to === undefined) {
        if (this.isUnicode) this.fail('Invalid character class')
      } else if (to < from) this.fail('Range out of order in character class')
    }
    this.at += 1
  }

  /** Reads a class with the flag `v`, validated as a whole by the platform. Strings in it are rejected, since a class matches one character. */
  #takeNestedClass(): void {
    const from = this.at
    let depth = 0
    do {
      if (this.at >= this.source.length) this.fail('Unterminated character class')
      const char = this.peek()
      depth += char === '[' ? 1 : char === ']' ? -1 : 0
      this.at += char === '\\' ? 2 : 1
    } while (depth > 0)
    const whole = this.source.slice(from, this.at)
    if (!isClass(whole)) this.fail('Invalid character class')
    if (/(?:^|[^\\])(?:\\\\)*\\q\{/.test(whole)) this.refuse('A string in a class')
    for (const [, name] of whole.matchAll(/\\[pP](\{[\w=]+\})/g)) this.#checkProperty(name!)
  }

  /** Reads one side of a range; undefined for a class escape. */
  #classAtom(): number | undefined {
    if (this.at >= this.source.length) this.fail('Unterminated character class')
    if (this.peek() !== '\\') return this.codePoint()
    if (this.takeSet()) return undefined
    const own = this.take(this.isUnicode ? /\\[b-]/y : /\\b/y)?.[0]
    if (own !== undefined) return own === '\\b' ? 8 : 45
    return this.charEscape()
  }
}

function isClass(source: string): boolean {
  try {
    return new RegExp(source, 'v') instanceof RegExp
  } catch {
    return false
  }
}
