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

/** Start and end positions of a match and its groups, in pairs; -1 for a group that did not participate. */
export type Spans = readonly number[]

const RUN_WIDTH = WIDTHS[RUN]!
const LOOK_WIDTH = WIDTHS[LOOK]!

/**
 * Executes a compiled pattern with the semantics of JavaScript: paths through the pattern are tried in order, and the first one that reaches the end matches.
 * The result from a given instruction and text position does not depend on the path to it. Long searches therefore record visited pairs and try none twice,
 * so the time is linear in the text. Searches do not overlap, and keep no state between each other.
 */
export class Search extends Runs {
  /** The instruction at which `#back` resumes. */
  #resume = 0
  #end = 0
  /** Whether the search is inside a look-around, where only success matters and not the groups. */
  #isAsking = false

  /** Finds the first match that starts at a position or, unless `isSticky`, after it. */
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
   * Finds the first match from a position in a part of a longer text. Returns a number if the result depends on the following text: no match starts before
   * this position, and more text is needed to decide whether one starts there.
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

  /** Returns the start of the first match, or -1. In a part of a text, also returns the first attempt that reached the end of the part. */
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
      // Runs the look-around again to record its groups, since so far only its result was computed.
      slots[slot] = -1
      this.forgetVisits()
      this.#walk(pc, asked)
    }
    return slots.slice(0, this.program.groups * 2)
  }

  /** Returns the next position where a match can start, or -1. */
  #candidate(from: number): number {
    const { text, latin } = this.program.start
    const source = this.text
    let at = from
    // Searches only for the first character, since searching for a longer text could compare it at every position without counting steps. `#walk` compares
    // and counts the rest.
    if (text !== '') at = source.indexOf(text.charAt(0), from)
    else if (latin !== undefined) {
      while (at < source.length && latin[source.charCodeAt(at)] === 0) at += 1
      if (at === source.length) at = -1
    }
    this.left -= (((at < 0 ? source.length : at) - from) >> 3) + 2
    return at
  }

  /** Whether a path leads from an instruction and a text position to the end of the pattern or look-around. */
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

  /** Executes less frequent instructions. */
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

  /** Tests a look-around. Leaves no state except cached results for the visited positions. */
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

  /** Backtracks to the last choice. Returns the text position to continue from, or -1 if there is none. */
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
