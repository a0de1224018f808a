import {
  BLANKS,
  DIGITS,
  FOLDED_WORDS,
  LINE_ENDS,
  type Range,
  WORDS,
  complement,
  inBothCases,
  sameLetters,
  written,
  writtenRanges,
} from './regexp-class.ts'

/** Why a pattern cannot be used: it is none, or it needs what a linear engine cannot do. */
export class PatternProblem extends Error {
  readonly isRefused: boolean
  constructor(message: string, isRefused: boolean) {
    super(message)
    this.isRefused = isRefused
  }
}

/** A pattern in the engine's words. */
export interface Translation {
  readonly text: string
  /** Names of groups by their number; the first place is the whole match. */
  readonly names: readonly (string | undefined)[]
}

/** What a quantifier must know of what it repeats. */
interface Part {
  readonly text: string
  /** It can match nothing. */
  readonly isEmpty: boolean
  /** It holds a group. */
  readonly hasGroup: boolean
  /** It holds a group that may take no part in a match. */
  readonly hasOptionalGroup: boolean
  /** It holds a choice whose order matters when it can match nothing. */
  readonly hasChoice: boolean
  readonly isAssertion?: boolean
}

const NOTHING: Part = { text: '', isEmpty: true, hasGroup: false, hasOptionalGroup: false, hasChoice: false }
const controls = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
])
const classes = new Map<string, readonly Range[]>([
  ['d', DIGITS],
  ['w', WORDS],
  ['s', BLANKS],
  ['D', complement(DIGITS)],
  ['W', complement(WORDS)],
  ['S', complement(BLANKS)],
])
const REPEAT_MAX = 1000
/** Code points of a range whose letters are looked at one by one. */
const WIDE = 2_000
const DEPTH_MAX = 100

/** Reads a JavaScript pattern and writes it for an engine that never backtracks, refusing what would mean something else. */
export class Translator {
  private at = 0
  private depth = 0
  private readonly names: (string | undefined)[] = [undefined]
  private readonly source: string
  private readonly flags: string
  private readonly isUnicode: boolean
  private readonly groupCount: number
  private readonly hasNames: boolean

  constructor(source: string, flags: string) {
    this.source = source
    this.flags = flags
    this.isUnicode = flags.includes('u')
    const opened = source.replaceAll(/\\[\s\S]|\[(?:[^\]\\]|\\[\s\S])*\]/g, '')
    this.groupCount = (opened.match(/\((?!\?)|\(\?<(?![=!])/g) ?? []).length
    this.hasNames = /\(\?<(?![=!])/.test(opened)
  }

  translate(): Translation {
    const whole = this.choice()
    if (this.at < this.source.length) this.fail(`Unmatched ${JSON.stringify(this.source[this.at])}`)
    return { text: whole.text, names: this.names }
  }

  private fail(message: string): never {
    throw new PatternProblem(`Invalid regular expression: /${this.source.slice(0, 80)}/: ${message}`, false)
  }

  private refuse(what: string): never {
    const hint = 'Expressions run in linear time here; match the surrounding text too and take a group.'
    throw new PatternProblem(`${what} is not available in /${this.source.slice(0, 80)}/. ${hint}`, true)
  }

  private peek(): string {
    return this.source[this.at] ?? ''
  }

  private choice(): Part {
    this.depth += 1
    if (this.depth > DEPTH_MAX) this.refuse('Nesting this deep')
    const options = [this.sequence()]
    while (this.peek() === '|') {
      this.at += 1
      options.push(this.sequence())
    }
    this.depth -= 1
    if (options.length === 1) return options[0] as Part
    const hasGroup = options.some((part) => part.hasGroup)
    return {
      text: options.map((part) => part.text).join('|'),
      isEmpty: options.some((part) => part.isEmpty),
      hasGroup,
      hasOptionalGroup: hasGroup,
      hasChoice: true,
    }
  }

  private sequence(): Part {
    let joined = NOTHING
    const texts: string[] = []
    while (this.at < this.source.length && this.peek() !== '|' && this.peek() !== ')') {
      const part = this.term()
      texts.push(part.text)
      joined = {
        text: '',
        isEmpty: joined.isEmpty && part.isEmpty,
        hasGroup: joined.hasGroup || part.hasGroup,
        hasOptionalGroup: joined.hasOptionalGroup || part.hasOptionalGroup,
        hasChoice: joined.hasChoice || part.hasChoice,
      }
    }
    return { ...joined, text: texts.join('') }
  }

  private term(): Part {
    const atom = this.atom()
    const bounds = this.quantifier()
    if (bounds === undefined) return atom
    if (atom.isAssertion === true) this.fail('Nothing to repeat')
    const [least, most, text] = bounds
    const isLazy = this.peek() === '?'
    if (isLazy) this.at += 1
    this.checkRepetition(atom, least, most)
    return {
      text: `${atom.text}${text}${isLazy ? '?' : ''}`,
      isEmpty: atom.isEmpty || least === 0,
      hasGroup: atom.hasGroup,
      hasOptionalGroup: atom.hasOptionalGroup || (atom.hasGroup && least === 0),
      hasChoice: atom.hasChoice || isLazy,
    }
  }

  /** Where linear engines and JavaScript give different groups or matches, the pattern is refused rather than misread. */
  private checkRepetition(atom: Part, least: number, most: number): void {
    if (atom.isEmpty && most > least && (atom.hasGroup || atom.hasChoice)) {
      this.refuse('Repeating a part that can match nothing')
    }
    if (most > 1 && atom.hasOptionalGroup) this.refuse('Repeating a part whose group is sometimes left out')
  }

  private quantifier(): readonly [least: number, most: number, text: string] | undefined {
    const char = this.peek()
    const simple = { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] }[char] as [number, number] | undefined
    if (simple !== undefined) {
      this.at += 1
      return [simple[0], simple[1], char]
    }
    const match = /^\{(\d+)(,(\d*))?\}/.exec(this.source.slice(this.at, this.at + 24))
    if (char !== '{' || match === null) return undefined
    this.at += match[0].length
    const least = Number(match[1])
    const most = match[2] === undefined ? least : match[3] === '' ? Infinity : Number(match[3])
    if (most < least) this.fail('numbers out of order in {} quantifier')
    if (least > REPEAT_MAX || (most !== Infinity && most > REPEAT_MAX))
      this.refuse(`Repeating more than ${REPEAT_MAX} times`)
    return [least, most, match[0]]
  }

  private atom(): Part {
    const char = this.peek()
    switch (char) {
      case '(':
        return this.group()
      case '[':
        return this.one(this.charClass())
      case '.':
        this.at += 1
        return this.one(this.flags.includes('s') ? '(?s:.)' : `[^${writtenRanges(LINE_ENDS)}]`)
      case '^':
      case '$':
        this.at += 1
        return this.assertion(this.flags.includes('m') ? `(?m:${char})` : char)
      case '\\':
        return this.escaped()
      case '*':
      case '+':
      case '?':
        this.fail('Nothing to repeat')
      // falls through
      default:
        return this.plain(char)
    }
  }

  private plain(char: string): Part {
    if (char === '{' && /^\{\d+(?:,\d*)?\}/.test(this.source.slice(this.at))) this.fail('Nothing to repeat')
    if (this.isUnicode && (char === '{' || char === '}' || char === ']')) this.fail('Lone quantifier brackets')
    return this.one(this.literal(this.codePoint()))
  }

  private one(text: string): Part {
    return { text, isEmpty: false, hasGroup: false, hasOptionalGroup: false, hasChoice: false }
  }

  private assertion(text: string): Part {
    return { ...NOTHING, text, isAssertion: true }
  }

  private codePoint(): number {
    const code = this.isUnicode ? (this.source.codePointAt(this.at) as number) : this.source.charCodeAt(this.at)
    this.at += code > 0xffff ? 2 : 1
    return code
  }

  private literal(code: number): string {
    if (!this.flags.includes('i')) return written(this.mapped(code))
    if (this.isUnicode) return `(?i:${written(code)})`
    const codes = sameLetters(code)
    return codes.length === 1 ? written(this.mapped(code)) : `[${codes.map(written).join('')}]`
  }

  /** Halves of surrogate pairs are units of their own without the flag `u`; texts are mapped the same way. */
  private mapped(code: number): number {
    return !this.isUnicode && code >= 0xd800 && code <= 0xdfff ? 0xf_0000 + code : code
  }

  private group(): Part {
    const rest = this.source.slice(this.at, this.at + 4)
    if (/^\(\?(?:=|!|<=|<!)/.test(rest)) this.refuse('Look-around')
    if (rest.startsWith('(?:')) {
      this.at += 3
      const inner = this.closed()
      return { ...inner, text: `(?:${inner.text})` }
    }
    let name: string | undefined
    if (rest.startsWith('(?<')) name = this.groupName(this.at + 3)
    else if (rest.startsWith('(?')) this.refuse('A modifier in a group')
    else this.at += 1
    if (name !== undefined && this.names.includes(name)) this.refuse('A name for two groups')
    this.names.push(name)
    const inner = this.closed()
    return { ...inner, text: `(${inner.text})`, hasGroup: true }
  }

  private groupName(from: number): string {
    const close = this.source.indexOf('>', from)
    const name = this.source.slice(from, close)
    if (name.includes('\\')) this.refuse('An escape in the name of a group')
    if (close < 0 || !/^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name))
      this.fail('Invalid capture group name')
    this.at = close + 1
    return name
  }

  private closed(): Part {
    const inner = this.choice()
    if (this.peek() !== ')') this.fail('Unterminated group')
    this.at += 1
    return inner
  }

  private escaped(): Part {
    const char = this.source[this.at + 1]
    if (char === undefined) this.fail('\\ at end of pattern')
    if (char === 'b' || char === 'B') {
      if (this.isUnicode && (char === 'B' || this.flags.includes('i'))) this.refuse('This use of `\\b` with the flag u')
      this.at += 2
      return this.assertion(`\\${char}`)
    }
    if (char === 'k' && (this.isUnicode || this.hasNames)) this.refuse('A back-reference')
    if (char >= '1' && char <= '9') {
      if (this.isUnicode || Number(/^\d+/.exec(this.source.slice(this.at + 1))?.[0]) <= this.groupCount)
        this.refuse('A back-reference')
      this.refuse('A legacy octal escape')
    }
    const ranges = this.classRanges(char)
    if (ranges !== undefined) {
      this.at += 2
      return this.one(`[${writtenRanges(ranges)}]`)
    }
    if ((char === 'p' || char === 'P') && this.isUnicode) return this.one(this.property())
    return this.one(this.literal(this.charEscape()))
  }

  private classRanges(char: string): readonly Range[] | undefined {
    const isFolded = this.isUnicode && this.flags.includes('i')
    if (isFolded && char === 'w') return FOLDED_WORDS
    if (isFolded && char === 'W') return complement(FOLDED_WORDS)
    return classes.get(char)
  }

  private property(): string {
    const match = /^\\([pP])\{(?:(?:General_Category|gc|Script|sc)=)?(\w+)\}/.exec(this.source.slice(this.at))
    if (match === null) {
      if (/^\\[pP]\{[\w=]+\}/.test(this.source.slice(this.at))) this.refuse('This property')
      this.fail('Invalid property name')
    }
    const asked = match[2] ?? ''
    const name = categories.get(asked) ?? asked
    if (!/^(?:[LMNPSZC][a-z]?|[A-Z][a-z]+(?:_[A-Z][a-z]+)*)$/.test(name) || refusedProperties.has(name)) {
      this.refuse(`The property \`${asked}\``)
    }
    this.at += match[0].length
    return `\\${match[1]}{${name}}`
  }

  /** An escape that stands for one character. */
  private charEscape(): number {
    const char = this.source[this.at + 1] as string
    this.at += 2
    const control = controls.get(char)
    if (control !== undefined) return control
    if (char === '0') {
      if (/\d/.test(this.peek())) this.refuse('A legacy octal escape')
      return 0
    }
    if (char === 'c' && /[a-z]/i.test(this.peek())) {
      this.at += 1
      return this.source.charCodeAt(this.at - 1) % 32
    }
    if (char === 'x') return this.hex(2) ?? this.identity(char)
    if (char === 'u') return this.unicodeEscape() ?? this.identity(char)
    return this.identity(char)
  }

  private identity(char: string): number {
    if (this.isUnicode && !/[\^$\\.*+?()[\]{}|/]/.test(char)) this.fail('Invalid escape')
    if (char === 'c') {
      this.at -= 1
      return 92
    }
    const code = this.isUnicode ? (this.source.codePointAt(this.at - 1) as number) : char.charCodeAt(0)
    if (code > 0xffff) this.at += 1
    return code
  }

  private hex(count: number): number | undefined {
    const digits = this.source.slice(this.at, this.at + count)
    if (digits.length < count || !/^[0-9a-f]+$/i.test(digits)) return undefined
    this.at += count
    return Number.parseInt(digits, 16)
  }

  private unicodeEscape(): number | undefined {
    const braced = this.isUnicode ? /^\{([0-9a-f]+)\}/i.exec(this.source.slice(this.at)) : null
    if (braced !== null) {
      const code = Number.parseInt(braced[1] as string, 16)
      if (code > 0x10ffff) this.fail('Invalid Unicode escape')
      this.at += braced[0].length
      return code
    }
    const code = this.hex(4)
    const isHigh = code !== undefined && code >= 0xd800 && code <= 0xdbff
    if (!this.isUnicode || !isHigh || !this.source.startsWith('\\u', this.at)) return code
    const back = this.at
    this.at += 2
    const low = this.hex(4)
    if (low !== undefined && low >= 0xdc00 && low <= 0xdfff) return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
    this.at = back
    return code
  }

  private charClass(): string {
    this.at += 1
    const isNegated = this.peek() === '^'
    if (isNegated) this.at += 1
    const ranges: Range[] = []
    const properties: string[] = []
    while (this.peek() !== ']') {
      if (this.at >= this.source.length) this.fail('Unterminated character class')
      this.classItem(ranges, properties)
    }
    this.at += 1
    return this.writtenClass(ranges, properties, isNegated)
  }

  private classItem(ranges: Range[], properties: string[]): void {
    const from = this.classAtom(properties)
    if (this.peek() !== '-' || this.source[this.at + 1] === ']' || this.at + 1 >= this.source.length) {
      if (typeof from === 'number') ranges.push([from, from])
      else ranges.push(...from)
      return
    }
    this.at += 1
    const to = this.classAtom(properties)
    if (typeof from === 'number' && typeof to === 'number') {
      if (to < from) this.fail('Range out of order in character class')
      ranges.push([from, to])
      return
    }
    if (this.isUnicode) this.fail('Invalid character class')
    for (const side of [from, to]) ranges.push(...(typeof side === 'number' ? [[side, side] as const] : side))
    ranges.push([45, 45])
  }

  /** One side of a range, or a whole set. */
  private classAtom(properties: string[]): number | readonly Range[] {
    if (this.peek() !== '\\') return this.codePoint()
    const char = this.source[this.at + 1] ?? ''
    if (char === '') this.fail('\\ at end of pattern')
    const ranges = this.classRanges(char)
    if (ranges !== undefined) {
      this.at += 2
      return ranges
    }
    if (char === 'b') {
      this.at += 2
      return 8
    }
    if (char === '-') {
      this.at += 2
      return 45
    }
    if ((char === 'p' || char === 'P') && this.isUnicode) {
      properties.push(this.property())
      return []
    }
    if (char >= '1' && char <= '9') this.refuse('A legacy octal escape')
    return this.charEscape()
  }

  private writtenClass(ranges: readonly Range[], properties: readonly string[], isNegated: boolean): string {
    if (ranges.length === 0 && properties.length === 0) return isNegated ? '(?s:.)' : '[^\\x{0}-\\x{10ffff}]'
    const ignoresCase = this.flags.includes('i')
    const closed = ignoresCase && !this.isUnicode ? this.closedRanges(ranges) : ranges
    const text = `[${isNegated ? '^' : ''}${writtenRanges(this.unitRanges(closed))}${properties.join('')}]`
    return ignoresCase && this.isUnicode ? `(?i:${text})` : text
  }

  /** Both cases of every letter, by the rules that hold without the flag `u`. */
  private closedRanges(ranges: readonly Range[]): readonly Range[] {
    const closed: Range[] = inBothCases(ranges)
    for (const [from, to] of ranges) {
      if (to >= 128 && to - Math.max(from, 128) > WIDE && (from > 128 || to < 0xffff))
        this.refuse('A wide range with the flag i')
      // What reaches over all letters holds both cases of each already.
      for (let code = Math.max(from, 128); code <= to && to - code <= WIDE; code += 1) {
        for (const same of sameLetters(code)) closed.push([same, same])
      }
    }
    return closed
  }

  /** Ranges over halves of pairs, moved to where texts have them. */
  private unitRanges(ranges: readonly Range[]): readonly Range[] {
    if (this.isUnicode || ranges.every(([, to]) => to < 0xd800)) return ranges
    return ranges.flatMap(([from, to]): Range[] => {
      const [low, high] = [Math.max(from, 0xd800), Math.min(to, 0xdfff)]
      return low > high
        ? [[from, to]]
        : [
            [from, to],
            [0xf_0000 + low, 0xf_0000 + high],
          ]
    })
  }
}

const categories = new Map([
  ['Letter', 'L'],
  ['Lowercase_Letter', 'Ll'],
  ['Uppercase_Letter', 'Lu'],
  ['Mark', 'M'],
  ['Number', 'N'],
  ['Decimal_Number', 'Nd'],
  ['Punctuation', 'P'],
  ['punct', 'P'],
  ['Symbol', 'S'],
  ['Separator', 'Z'],
  ['Space_Separator', 'Zs'],
  ['Other', 'C'],
])
const refusedProperties = new Set(['Alphabetic', 'Any', 'Assigned', 'Ascii', 'Emoji', 'Lowercase', 'Uppercase', 'Math'])
