import { isNamePart, isNameStart } from './characters.ts'

const codesOf = (chars: string): ReadonlySet<number> => new Set(Array.from(chars, (char) => char.charCodeAt(0)))
/** Characters that may come between `(` and the first parameter, or instead of it: comments and escapes can contain anything. */
const beforeParameter = codesOf(')[{./\\')
const afterParameter = codesOf(',)=:?/\\')
const words = /[\w$]/
const beforeRegex = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|instanceof)$/

/**
 * Finds the `)` that closes a `(` without parsing the text between, to distinguish parameters from an expression. Every pair found is cached, so that the
 * whole source is scanned once regardless of nesting.
 */
export class BracketSkim {
  private readonly source: string
  private readonly pairs = new Map<number, number>()

  constructor(source: string) {
    this.source = source
  }

  /** Whether a `(` can open parameters, judging by the next characters: the first word excludes most. */
  mayOpenParameters(open: number): boolean {
    const { source } = this
    let at = this.afterBlanks(open + 1)
    let code = source.charCodeAt(at)
    if (code < 128 && !isNameStart(code)) return beforeParameter.has(code)
    while (code < 128 && isNamePart(code)) code = source.charCodeAt((at += 1))
    code = source.charCodeAt(this.afterBlanks(at))
    // Beyond ASCII, and at the end of the source, this is undecided.
    return !(code < 128) || afterParameter.has(code)
  }

  private afterBlanks(from: number): number {
    let at = from
    let code = this.source.charCodeAt(at)
    while (code === 32 || code === 10 || code === 13 || code === 9) code = this.source.charCodeAt((at += 1))
    return at
  }

  /** The offset of the closing bracket, or -1. */
  closeOf(open: number): number {
    return this.pairs.get(open) ?? this.walk(open)
  }

  private walk(open: number): number {
    const { source } = this
    const stack: number[] = []
    let at = open
    while (at < source.length) {
      const char = source[at]
      if (char === '(' || char === '[' || char === '{') stack.push(at)
      else if (char === ')' || char === ']' || char === '}') {
        const from = stack.pop() as number
        this.pairs.set(from, at)
        if (stack.length === 0) return at
      } else if (char === '"' || char === "'") at = this.endOfString(at, char)
      else if (char === '`') at = this.endOfTemplate(at)
      else if (char === '/') at = this.endOfSlash(at)
      at += 1
    }
    this.pairs.set(open, -1)
    return -1
  }

  private endOfString(from: number, quote: string): number {
    const { source } = this
    for (let at = from + 1; at < source.length; at += 1) {
      if (source[at] === '\\') at += 1
      else if (source[at] === quote || source[at] === '\n') return at
    }
    return source.length
  }

  /** Templates nest; a plain count of braces is enough to find the end of their expressions. */
  private endOfTemplate(from: number): number {
    const { source } = this
    const braces: number[] = []
    for (let at = from + 1; at < source.length; at += 1) {
      const char = source[at]
      const inText = braces.length % 2 === 0
      if (char === '\\') at += 1
      else if (inText && char === '`') {
        if (braces.length === 0) return at
        braces.pop()
      } else if (inText && char === '$' && source[at + 1] === '{') {
        braces.push(0)
        at += 1
      } else if (!inText) {
        const top = braces.length - 1
        if (char === '{') braces[top] = (braces[top] as number) + 1
        else if (char === '}') {
          if (braces[top] === 0) braces.pop()
          else braces[top] = (braces[top] as number) - 1
        } else if (char === '`') braces.push(-1)
        else if (char === '"' || char === "'") at = this.endOfString(at, char)
      }
    }
    return source.length
  }

  private endOfSlash(from: number): number {
    const { source } = this
    if (source[from + 1] === '/') {
      const end = source.indexOf('\n', from)
      return end < 0 ? source.length : end
    }
    if (source[from + 1] === '*') {
      const end = source.indexOf('*/', from + 2)
      return end < 0 ? source.length : end + 1
    }
    if (!this.isRegexAt(from)) return from
    let inClass = false
    for (let at = from + 1; at < source.length; at += 1) {
      const char = source[at]
      if (char === '\n') return from
      if (char === '\\') at += 1
      else if (char === '[') inClass = true
      else if (char === ']') inClass = false
      else if (char === '/' && !inClass) return at
    }
    return from
  }

  private isRegexAt(from: number): boolean {
    const { source } = this
    let at = from - 1
    while (at >= 0 && ' \t\r\n'.includes(source[at] as string)) at -= 1
    const char = source[at] ?? ''
    if (char === ')' || char === ']' || char === '}' || char === '"' || char === "'" || char === '`') return false
    return !words.test(char) || beforeRegex.test(source.slice(Math.max(0, at - 12), at + 1))
  }
}
