import { isTrail } from './pattern-text.ts'
import {
  FORGET,
  JOIN,
  JUMP,
  LAZY_RUN,
  LOOK,
  MATCH,
  MOVED,
  RUN,
  SAVE,
  SET,
  SET_BEFORE,
  SPLIT,
  TEXT,
  UNIT,
  UNIT_BEFORE,
  WIDTHS,
} from './program.ts'
import { Runs } from './runs.ts'
import { ASKED, type Allowance, CHOICE, FRAME } from './trail.ts'

/** Where a match and its groups begin and end, in pairs; -1 for a group that took no part. */
export type Spans = readonly number[]

const RUN_WIDTH = WIDTHS[RUN]!
const LOOK_WIDTH = WIDTHS[LOOK]!

/**
 * Searches texts as the language describes it: ways through the pattern are tried in their order, and the first that
 * leads to its end counts. What happens from a place in the pattern and a place in the text on does not depend on the way
 * there, so a search that takes long notes both and tries none twice: the time is linear in the text. One search is over
 * before the next begins; nothing is left of it.
 */
export class Search extends Runs {
  /** Where `#back` goes on in the pattern. */
  #resume = 0
  #end = 0
  /** Inside of a look-ahead or look-behind: only whether it holds is of interest. */
  #isAsking = false

  /** The first match that begins at a place or, unless `isSticky`, after it. */
  first(text: string, from: number, isSticky: boolean, allowance: Allowance): Spans | null {
    this.begin(text, from, allowance)
    this.#isAsking = false
    this.isAtStart = false
    try {
      const at = this.#find(from, isSticky || this.program.start.isAnchored, false)
      const spans = at < 0 ? null : this.#spans(at)
      this.pay(text.length)
      return spans
    } finally {
      this.end()
    }
  }

  /**
   * The first match that begins from a place on in a part of a text that goes on behind it. A number is given where that depends on what follows:
   * nothing begins before this place, and the part has to be longer to tell whether something begins there.
   */
  firstInPart(part: string, from: number, allowance: Allowance): Spans | number | null {
    this.begin(part, from, allowance)
    this.#isAsking = false
    this.isAtStart = false
    try {
      const at = this.#find(from, false, true)
      const isOpen = at >= 0 && this.isAtEnd
      const found = at < 0 ? null : isOpen ? at : this.#spans(at)
      this.pay(part.length)
      return found
    } finally {
      this.end()
    }
  }

  /** Where the first match begins, or -1. In a part of a text also where the first attempt was that looked at the end of the part. */
  #find(from: number, isHere: boolean, isPart: boolean): number {
    const { isUnicode } = this.program
    const last = isPart ? this.text.length - 1 : this.text.length
    let at = isUnicode && isTrail(this.text, from) ? from - 1 : from
    while (at <= last) {
      if (!isHere) at = this.#candidate(at)
      if (at < 0 || at > last) break
      this.isAtEnd = false
      if (this.#walk(0, at) || (isPart && this.isAtEnd)) return at
      if (isHere) break
      at += isUnicode && isTrail(this.text, at + 1) ? 2 : 1
    }
    return -1
  }

  #spans(at: number): Spans {
    const { slots } = this
    slots[0] = at
    slots[1] = this.#end
    this.left -= this.program.looks.length
    for (const [slot, pc] of this.program.looks) {
      const asked = slots[slot]!
      if (asked < 0 || slots[slot + 1]! >= 0) continue
      // What was only asked so far is gone through once more, for its groups.
      slots[slot] = -1
      this.forgetVisits()
      this.#walk(pc, asked)
    }
    return slots.slice(0, this.program.groups * 2)
  }

  /** The next place where a match can begin, or -1. */
  #candidate(from: number): number {
    const { text, latin } = this.program.start
    const source = this.text
    let at = from
    // Only its first character: a longer text could be compared at every place. The walk compares the rest, and pays.
    if (text !== '') at = source.indexOf(text.charAt(0), from)
    else if (latin !== undefined) {
      while (at < source.length && latin[source.charCodeAt(at)] === 0) at += 1
      if (at === source.length) at = -1
    }
    this.left -= (((at < 0 ? source.length : at) - from) >> 3) + 2
    return at
  }

  /** Whether a way leads from a place in the pattern and one in the text to the end of the pattern, or of the look-ahead or look-behind. */
  #walk(startPc: number, start: number): boolean {
    const { code, texts } = this.program
    const text = this.text
    const base = this.top
    let pc = startPc
    let at = start
    for (;;) {
      if ((this.left -= 1) < 0) this.pay(at)
      switch (code[pc]) {
        case UNIT:
          if (at >= text.length || text.charCodeAt(at) !== code[pc + 1]) break
          at += 1
          pc += 2
          continue
        case SET:
          at = this.step(code[pc + 1]!, at)
          if (at < 0) break
          pc += 2
          continue
        case RUN:
        case LAZY_RUN:
          at = code[pc] === RUN ? this.run(pc, at) : this.lazyRun(pc, at)
          if (at < 0) break
          pc += RUN_WIDTH
          continue
        case TEXT:
          this.left -= texts[code[pc + 1]!]!.length >> 3
          if (!this.hasText(texts[code[pc + 1]!]!, at)) break
          at += texts[code[pc + 1]!]!.length
          pc += 2
          continue
        case UNIT_BEFORE:
        case SET_BEFORE:
          at = code[pc] === SET_BEFORE ? this.stepBack(code[pc + 1]!, at) : this.unitBack(code[pc + 1]!, at)
          if (at < 0) break
          pc += 2
          continue
        case JUMP:
          pc = code[pc + 1]!
          continue
        case SPLIT:
          this.push(code[pc + 2]!, at, CHOICE)
          pc = code[pc + 1]!
          continue
        case SAVE:
          this.note(code[pc + 1]!, at)
          pc += 2
          continue
        case MATCH:
          this.#end = at
          return true
        case JOIN:
          if (this.visits !== undefined && this.#isAgain(pc, at)) {
            if (this.#isAsking && this.#hasHeld(pc, at)) return true
            break
          }
          pc += 3
          continue
        default:
          if (!this.#other(pc, at)) break
          pc = code[pc] === LOOK ? code[pc + 1]! : pc + WIDTHS[code[pc]!]!
          continue
      }
      if (at >= text.length) this.isAtEnd = true
      at = this.#back(base)
      if (at < 0) return false
      pc = this.#resume
    }
  }

  /** Instructions that are met less often. */
  #other(pc: number, at: number): boolean {
    const { code } = this.program
    const operand = code[pc + 1]!
    switch (code[pc]) {
      case FORGET:
        for (let slot = operand; slot < code[pc + 2]!; slot += 1) if (this.slots[slot] !== -1) this.note(slot, -1)
        return true
      case MOVED:
        return this.slots[operand] !== at
      case LOOK:
        if (this.#holds(pc + LOOK_WIDTH, at) === (code[pc + 2] === 1)) return false
        if (code[pc + 3]! >= 0) this.note(code[pc + 3]!, at)
        return true
      default:
        return this.isEdge(operand, at)
    }
  }

  /** Asks whether a look-ahead or look-behind holds, and leaves nothing behind but the answers for the places on the way. */
  #holds(pc: number, at: number): boolean {
    const base = this.top
    const wasAsking = this.#isAsking
    this.#isAsking = true
    const isFound = this.#walk(pc, at)
    this.#isAsking = wasAsking
    while (this.top > base) {
      this.top -= FRAME
      const row = this.stack[this.top]!
      const place = this.stack[this.top + 1]!
      if (this.stack[this.top + 2] === ASKED) this.visits?.again(this.program.rows + row, place)
      else if (row < 0) this.slots[-1 - row] = place
    }
    return isFound
  }

  #row(pc: number, at: number): number {
    return this.program.code[pc + 1]! + this.idle(this.program.code[pc + 2]!, at)
  }

  #isAgain(pc: number, at: number): boolean {
    const row = this.#row(pc, at)
    if (this.visits!.again(row, at)) return true
    if (this.#isAsking) this.push(row, at, ASKED)
    return false
  }

  #hasHeld(pc: number, at: number): boolean {
    return this.visits!.has(this.program.rows + this.#row(pc, at), at)
  }

  /** Takes the last choice back: where to go on in the text, or -1 when there is none left. */
  #back(base: number): number {
    while (this.top > base) {
      this.top -= FRAME
      const pc = this.stack[this.top]!
      const at = this.stack[this.top + 1]!
      const more = this.stack[this.top + 2]!
      if (more === ASKED) continue
      if (pc < 0) {
        this.slots[-1 - pc] = at
        continue
      }
      this.#resume = pc
      if (more === CHOICE) return at
      this.#resume = pc + RUN_WIDTH
      const place = this.program.code[pc] === RUN ? this.shorten(pc, at, more) : this.lengthen(pc, at, more)
      if (place >= 0) return place
    }
    return -1
  }
}
