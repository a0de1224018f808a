import { LATIN } from './char-set.ts'
import type { Program } from './program.ts'

/** Reads the text of a search by characters and the edges between them. */
export class PatternText {
  protected readonly program: Program
  protected text = ''
  /** Whether the search examined the end of the text: with more text after it, the result could differ. */
  protected isAtEnd = false
  /** Whether a look-behind examined the start of the text: with more text before it, the result could differ. */
  isAtStart = false

  constructor(program: Program) {
    this.program = program
  }

  /** Returns the position after a character of a set, or -1. */
  protected step(set: number, at: number): number {
    if (at >= this.text.length) {
      this.isAtEnd = true
      return -1
    }
    const one = this.program.sets[set]!
    const unit = this.text.charCodeAt(at)
    if (unit < LATIN) return one.latin[unit] === 1 ? at + 1 : -1
    const code = this.program.isUnicode ? this.text.codePointAt(at)! : unit
    return one.has(code) ? at + (code > 0xffff ? 2 : 1) : -1
  }

  protected hasText(wanted: string, at: number): boolean {
    if (this.text.startsWith(wanted, at)) return true
    if (at + wanted.length > this.text.length) this.isAtEnd = true
    return false
  }

  /** Returns the position before a character of a set that ends here, or -1. */
  protected stepBack(set: number, at: number): number {
    if (at <= 0) {
      this.isAtStart = true
      return -1
    }
    const one = this.program.sets[set]!
    const before = this.before(at)
    const code = before < at - 1 ? this.text.codePointAt(before)! : this.text.charCodeAt(before)
    return one.has(code) ? before : -1
  }

  /** Returns the position before a code unit that ends here, or -1. */
  protected unitBack(unit: number, at: number): number {
    if (at <= 0) this.isAtStart = true
    return at > 0 && this.text.charCodeAt(at - 1) === unit ? at - 1 : -1
  }

  /** Returns the position before the previous character. */
  protected before(at: number): number {
    return at - (this.program.isUnicode && isTrail(this.text, at - 1) ? 2 : 1)
  }

  /** Whether what must follow a run can match at a position. */
  protected canFollow(pc: number, at: number): boolean {
    const { code } = this.program
    if (code[pc + 6]! >= 0) {
      if (at < this.text.length) return this.text.charCodeAt(at) === code[pc + 6]
      this.isAtEnd = true
      return false
    }
    return code[pc + 7]! < 0 || this.step(code[pc + 7]!, at) >= 0
  }

  protected isEdge(edge: number, at: number): boolean {
    const text = this.text
    // Start edges depend on the character before the position, end edges on the one after, word boundaries on both.
    if (at === text.length && edge !== 0 && edge !== 2) this.isAtEnd = true
    if (at === 0 && edge !== 1 && edge !== 3) this.isAtStart = true
    switch (edge) {
      case 0:
        return at === 0
      case 1:
        return at === text.length
      case 2:
        return at === 0 || isLineEnd(text.charCodeAt(at - 1))
      case 3:
        return at === text.length || isLineEnd(text.charCodeAt(at))
      default:
        return (this.#isWord(at - 1) !== this.#isWord(at)) === (edge === 4)
    }
  }

  #isWord(at: number): boolean {
    const { sets, words } = this.program
    return at >= 0 && at < this.text.length && sets[words]!.has(this.text.charCodeAt(at))
  }
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13 || code === 0x2028 || code === 0x2029
}

/** Whether a position is inside a surrogate pair. */
export function isTrail(text: string, at: number): boolean {
  return at > 0 && isHalf(text, at, 0xdc00) && isHalf(text, at - 1, 0xd800)
}

function isHalf(text: string, at: number, kind: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === kind
}
