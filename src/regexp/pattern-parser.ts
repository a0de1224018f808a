import { PatternReader } from './pattern-reader.ts'
import type { Parsed, Pattern } from './syntax.ts'

const REPEAT_MAX = 1000
const DEPTH_MAX = 100

/** Names of the groups in a part. They must be unique in a sequence but may repeat in alternatives, since only one of these participates. */
type Names = Set<string>

/** Parses a JavaScript pattern and rejects what cannot be matched in linear time. */
export class PatternParser extends PatternReader {
  #depth = 0
  #inSequence: Names = new Set()
  readonly #names: (string | undefined)[] = [undefined]

  parse(): Parsed {
    const pattern = this.#choice()
    if (this.at < this.source.length) this.fail(`Unmatched ${JSON.stringify(this.peek())}`)
    return { pattern, names: this.#names }
  }

  #choice(): Pattern {
    this.#depth += 1
    if (this.#depth > DEPTH_MAX) this.refuse('Nesting this deep')
    const before = this.#inSequence
    const all = new Set(before)
    const options: Pattern[] = []
    do {
      this.#inSequence = new Set(before)
      options.push(this.#sequence())
      for (const name of this.#inSequence) all.add(name)
    } while (this.take(/\|/y) !== null)
    this.#inSequence = all
    this.#depth -= 1
    return options.length === 1 ? options[0]! : { kind: 'choice', options }
  }

  #sequence(): Pattern {
    const parts: Pattern[] = []
    while (this.at < this.source.length && this.peek() !== '|' && this.peek() !== ')') parts.push(this.#term())
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts }
  }

  #term(): Pattern {
    const from = this.at
    const groupFrom = this.#names.length
    const body = this.#atom()
    const bounds = this.#quantifier()
    if (bounds === undefined) return body
    if (body.kind === 'edge' && this.source[from] !== '(') this.fail('Nothing to repeat')
    if (body.kind === 'look' && this.source[from + 2] !== ':') {
      if (this.isUnicode || body.isBehind) this.fail('Nothing to repeat')
      this.refuse('Repeating a look-ahead')
    }
    const [least, most] = bounds
    const isLazy = this.take(/\?/y) !== null
    return { kind: 'repeat', body, least, most, isLazy, groupFrom, groupTo: this.#names.length }
  }

  #quantifier(): readonly [least: number, most: number] | undefined {
    const found = this.take(/([*+?])|\{(\d+)(,?)(\d*)\}/y)
    if (found === null) return undefined
    const [, sign, from, comma, to] = found
    if (sign !== undefined) return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity]
    const least = Number(from)
    const most = comma === '' ? least : to === '' ? Infinity : Number(to)
    if (most < least) this.fail('numbers out of order in {} quantifier')
    if (least > REPEAT_MAX || (most !== Infinity && most > REPEAT_MAX)) {
      this.refuse(`Repeating more than ${REPEAT_MAX} times`)
    }
    return [least, most]
  }

  #atom(): Pattern {
    const from = this.at
    switch (this.peek()) {
      case '(':
        return this.#group()
      case '[':
        this.takeClass()
        break
      case '.':
        this.at += 1
        break
      case '^':
      case '$':
        this.at += 1
        return { kind: 'edge', at: this.source[from] as '^' | '$' }
      case '\\':
        return this.#escaped()
      default:
        return this.#plain()
    }
    return { kind: 'class', source: this.source.slice(from, this.at) }
  }

  #plain(): Pattern {
    if (this.take(/[*+?]|\{\d+(?:,\d*)?\}/y) !== null) this.fail('Nothing to repeat')
    if (this.isUnicode && '{}]'.includes(this.peek())) this.fail('Lone quantifier brackets')
    return { kind: 'char', code: this.codePoint() }
  }

  #escaped(): Pattern {
    const from = this.at
    const edge = this.take(/\\([bB])/y)?.[1]
    if (edge !== undefined) return { kind: 'edge', at: edge as 'b' | 'B' }
    if (this.peek(1) === 'k' && (this.isUnicode || this.hasNames)) this.refuseBackReference()
    const number = /^[1-9]\d*/.exec(this.source.slice(from + 1, from + 10))?.[0]
    if (number !== undefined && (this.isUnicode || Number(number) <= this.groupCount)) this.refuseBackReference()
    if (this.takeSet()) return { kind: 'class', source: this.source.slice(from, this.at) }
    return { kind: 'char', code: this.charEscape() }
  }

  #group(): Pattern {
    const look = this.take(/\(\?(<?)([=!])/y)
    if (look !== null) return this.#look(look[2] === '!', look[1] === '<')
    if (this.take(/\(\?:/y) !== null) return this.#closed()
    if (this.take(/\(\?</y) !== null) this.#names.push(this.#groupName())
    else if (this.take(/\(\?/y) !== null) this.refuse('A modifier in a group')
    else {
      this.at += 1
      this.#names.push(undefined)
    }
    const group = this.#names.length - 1
    return { kind: 'group', group, body: this.#closed() }
  }

  #look(isNegative: boolean, isBehind: boolean): Pattern {
    const group = this.#names.length
    const body = this.#closed()
    return { kind: 'look', body, isNegative, isBehind, group: this.#names.length > group ? group : 0 }
  }

  #groupName(): string {
    const name = this.take(/[^>]*(?=>)/y)?.[0] ?? ''
    if (name.includes('\\')) this.refuse('An escape in the name of a group')
    if (!/^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name)) this.fail('Invalid capture group name')
    if (this.#inSequence.has(name)) this.fail('Duplicate capture group name')
    this.#inSequence.add(name)
    this.at += 1
    return name
  }

  #closed(): Pattern {
    const inner = this.#choice()
    if (this.take(/\)/y) === null) this.fail('Unterminated group')
    return inner
  }
}
