import { PatternText, isTrail } from './pattern-text.ts'
import {
  FORGET,
  JOIN,
  JUMP,
  LAZY_RUN,
  MATCH,
  MOVED,
  type Program,
  RUN,
  SAVE,
  SET,
  SPLIT,
  TEXT,
  UNIT,
  WIDTHS,
} from './program.ts'
import { Visits } from './visits.ts'

/** What a search is given to live on. Both may throw. */
export interface Allowance {
  /** Steps that were taken. */
  spend(steps: number): void
  /** Bytes that are about to be taken until the search is over. */
  hold(bytes: number): void
}

/** Where a match and its groups begin and end, in pairs; -1 for a group that took no part. */
export type Spans = readonly number[]

/** Steps between two looks at the allowance, unless told otherwise. */
const SLICE = 512
/** Steps for each character of the text after which a search notes where it has been, and never goes there again. */
const PATIENCE = 8
/** Numbers of a frame: where to go on in the pattern, where in the text, and how far a run may still go. */
const FRAME = 3
const SCRATCH = new Int32Array(1024 * FRAME)
const RUN_WIDTH = WIDTHS[RUN]!

/**
 * One search of a text, as the language describes it: ways through the pattern are tried in their order, and the first that
 * leads to its end counts. What happens from a place in the pattern and a place in the text on does not depend on the way
 * there, so a search that takes long notes both and tries none twice: the time is linear in the text.
 */
export class Search extends PatternText {
  readonly #allowance: Allowance
  readonly #slots: number[] = []
  #stack = SCRATCH
  #top = 0
  /** Where `#back` goes on in the pattern. */
  #resume = 0
  readonly #slice: number
  #left: number
  #spent = 0
  #from = 0
  #furthest = 0
  #visits: Visits | undefined

  constructor(program: Program, text: string, allowance: Allowance, slice: number = SLICE) {
    super(program, text)
    this.#allowance = allowance
    this.#slice = slice
    this.#left = slice
    for (let slot = 0; slot < program.slots; slot += 1) this.#slots.push(-1)
  }

  /** The first match that begins at a place or, unless `isSticky`, after it. A search finds once. */
  first(from: number, isSticky: boolean): Spans | null {
    const { isUnicode, start, groups } = this.program
    const isHere = isSticky || start.isAnchored
    this.#from = from
    let at = isUnicode && isTrail(this.text, from) ? from - 1 : from
    while (at <= this.text.length) {
      if (!isHere) at = this.#candidate(at)
      if (at < 0) break
      if (this.#tryAt(at)) {
        this.#finish()
        this.#slots[0] = at
        this.#slots.length = groups * 2
        return this.#slots
      }
      if (isHere) break
      at += isUnicode && isTrail(this.text, at + 1) ? 2 : 1
    }
    this.#finish()
    return null
  }

  #finish(): void {
    this.#allowance.spend(this.#slice - this.#left)
  }

  /** The next place where a match can begin, or -1. */
  #candidate(from: number): number {
    const { text, latin } = this.program.start
    const source = this.text
    let at = from
    if (text !== '') at = source.indexOf(text, from)
    else if (latin !== undefined) {
      while (at < source.length && latin[source.charCodeAt(at)] === 0) at += 1
      if (at === source.length) at = -1
    }
    this.#left -= ((at < 0 ? source.length : at) - from) >> 3
    return at
  }

  #look(at: number): void {
    const steps = this.#slice - this.#left
    this.#allowance.spend(steps)
    this.#left = this.#slice
    this.#spent += steps
    if (at > this.#furthest) this.#furthest = at
    if (this.#visits !== undefined || this.#spent < 2 * this.#slice + PATIENCE * (this.#furthest - this.#from)) return
    const from = Math.max(this.#from - 1, 0)
    this.#visits = new Visits(this.program.rows, from, this.text.length, (bytes) => this.#allowance.hold(bytes))
  }

  #push(pc: number, at: number, more: number): void {
    if (this.#top + FRAME > this.#stack.length) {
      this.#allowance.hold(this.#stack.length * 8)
      const stack = new Int32Array(this.#stack.length * 2)
      stack.set(this.#stack)
      this.#stack = stack
    }
    const stack = this.#stack
    stack[this.#top] = pc
    stack[this.#top + 1] = at
    stack[this.#top + 2] = more
    this.#top += FRAME
  }

  #note(slot: number, at: number): void {
    this.#push(-1 - slot, this.#slots[slot]!, -1)
    this.#slots[slot] = at
  }

  #tryAt(start: number): boolean {
    const { code, texts } = this.program
    const text = this.text
    let pc = 0
    let at = start
    this.#top = 0
    for (;;) {
      if ((this.#left -= 1) < 0) this.#look(at)
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
          at = code[pc] === RUN ? this.#run(pc, at) : this.#lazyRun(pc, at)
          if (at < 0) break
          pc += RUN_WIDTH
          continue
        case TEXT:
          if (!text.startsWith(texts[code[pc + 1]!]!, at)) break
          at += texts[code[pc + 1]!]!.length
          pc += 2
          continue
        case JUMP:
          pc = code[pc + 1]!
          continue
        case SPLIT:
          this.#push(code[pc + 2]!, at, -1)
          pc = code[pc + 1]!
          continue
        case JOIN:
          if (this.#visits?.again(code[pc + 1]! + this.#idle(code[pc + 2]!, at), at)) break
          pc += 3
          continue
        case SAVE:
          this.#note(code[pc + 1]!, at)
          pc += 2
          continue
        case MATCH:
          this.#slots[1] = at
          return true
        default:
          if (!this.#other(pc, at)) break
          pc += WIDTHS[code[pc]!]!
          continue
      }
      at = this.#back()
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
        for (let slot = operand; slot < code[pc + 2]!; slot += 1) if (this.#slots[slot] !== -1) this.#note(slot, -1)
        return true
      case MOVED:
        return this.#slots[operand] !== at
      default:
        return this.isEdge(operand, at)
    }
  }

  /** How many of the open turns have read nothing yet: of nested turns these are the inner ones. */
  #idle(open: number, at: number): number {
    let count = 0
    const base = this.program.groups * 2
    while (count < open && this.#slots[base + open - 1 - count] === at) count += 1
    return count
  }

  /** Reads on to the end of a run, then goes back to the last place where what follows can stand. */
  #run(pc: number, from: number): number {
    const { code } = this.program
    const [set, least, most] = [code[pc + 1]!, code[pc + 2]!, code[pc + 3]!]
    const row = code[pc + 4]!
    const visits = row < 0 ? undefined : this.#visits
    let at = from
    let floor = -1
    for (let count = 0; ; count += 1) {
      if (count === least) floor = at
      if (visits !== undefined && count >= least) {
        if (visits.again(row + (count === 0 ? this.#idle(code[pc + 5]!, at) : 0), at)) {
          if (at === floor) return -1
          at = this.before(at)
          break
        }
      }
      const next = count < most ? this.step(set, at) : -1
      if (next < 0) break
      at = next
    }
    this.#left -= (at - from) >> 2
    return floor < 0 ? -1 : this.#shorten(pc, at, floor)
  }

  #shorten(pc: number, to: number, floor: number): number {
    const isOnly = this.program.code[pc + 8] === 1
    let at = to
    while (!this.canFollow(pc, at)) {
      if (isOnly || at <= floor) return -1
      at = this.before(at)
    }
    this.#left -= (to - at) >> 2
    if (!isOnly && at > floor) this.#push(pc, this.before(at), floor)
    return at
  }

  #lazyRun(pc: number, from: number): number {
    const { code } = this.program
    const [set, least, most] = [code[pc + 1]!, code[pc + 2]!, code[pc + 3]!]
    let at = from
    for (let count = 0; count < least && at >= 0; count += 1) at = this.step(set, at)
    return at < 0 ? -1 : this.#lengthen(pc, at, most - least)
  }

  /** Reads on, character by character, to the first place where what follows can stand. */
  #lengthen(pc: number, from: number, most: number): number {
    const { code } = this.program
    const row = code[pc + 4]!
    const visits = row < 0 ? undefined : this.#visits
    let at = from
    for (let more = most; ; more -= 1) {
      if (visits?.again(row + this.#idle(code[pc + 5]!, at), at)) break
      if (this.canFollow(pc, at)) {
        if (more > 0) this.#push(pc, at, more)
        this.#left -= (at - from) >> 2
        return at
      }
      const next = more > 0 ? this.step(code[pc + 1]!, at) : -1
      if (next < 0) break
      at = next
    }
    this.#left -= (at - from) >> 2
    return -1
  }

  /** Takes the last choice back: where to go on in the text, or -1 when there is none left. */
  #back(): number {
    while (this.#top > 0) {
      this.#top -= FRAME
      const [pc, at, more] = [this.#stack[this.#top]!, this.#stack[this.#top + 1]!, this.#stack[this.#top + 2]!]
      if (pc < 0) {
        this.#slots[-1 - pc] = at
        continue
      }
      this.#resume = pc
      if (more < 0) return at
      this.#resume = pc + RUN_WIDTH
      const place = this.program.code[pc] === RUN ? this.#shorten(pc, at, more) : this.#longer(pc, at, more)
      if (place >= 0) return place
    }
    return -1
  }

  #longer(pc: number, at: number, more: number): number {
    const next = this.step(this.program.code[pc + 1]!, at)
    return next < 0 ? -1 : this.#lengthen(pc, next, more - 1)
  }
}
