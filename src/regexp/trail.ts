import { PatternText } from './pattern-text.ts'
import type { Program } from './program.ts'
import { Visits } from './visits.ts'

/** What a search is given to live on. Both may throw. */
export interface Allowance {
  /** Steps that were taken. */
  spend(steps: number): void
  /** Bytes that are about to be taken until the search is over. */
  hold(bytes: number): void
}

/** Steps between two looks at the allowance, unless told otherwise. */
const SLICE = 512
/** Steps for each character of the text after which a search notes where it has been, and never goes there again. */
const PATIENCE = 8
/** Numbers of a frame: where to go on in the pattern, where in the text, and how far a run may still go. */
export const FRAME = 3
const SCRATCH = new Int32Array(1024 * FRAME)
const FREE: Allowance = { spend: () => {}, hold: () => {} }

/** Instead of how far a run may go: the frame is a choice, or says that something was asked at a place. */
export const CHOICE = -1
export const ASKED = -2

/** The way of a search so far: choices that can be taken back, places that were noted, and what it has spent. */
export class Trail extends PatternText {
  protected readonly slots: number[]
  protected stack: Int32Array = SCRATCH
  protected top = 0
  /** Steps that may be taken before the next look at the allowance. */
  protected left = 0
  protected visits: Visits | undefined = undefined
  readonly #slice: number
  #allowance: Allowance = FREE
  #spent = 0
  #from = 0
  #furthest = 0

  constructor(program: Program, slice: number = SLICE) {
    super(program)
    this.#slice = slice
    this.slots = Array.from({ length: program.slots }, () => -1)
  }

  /** Begins anew, whatever became of the search before. */
  protected begin(text: string, from: number, allowance: Allowance): void {
    this.text = text
    this.top = 0
    this.left = this.#slice
    this.#allowance = allowance
    this.#spent = 0
    this.#from = from
    this.#furthest = from
    this.slots.fill(-1)
  }

  /** Lets go of what only this search needed. */
  protected end(): void {
    this.text = ''
    this.stack = SCRATCH
    this.visits = undefined
    this.#allowance = FREE
  }

  /** Pays for the steps since the last time. A search that has taken many for what it has read begins to note its visits. */
  protected pay(at: number): void {
    const steps = this.#slice - this.left
    this.#allowance.spend(steps)
    this.left = this.#slice
    this.#spent += steps
    if (at > this.#furthest) this.#furthest = at
    if (this.visits !== undefined || this.#spent < 2 * this.#slice + PATIENCE * (this.#furthest - this.#from)) return
    const { rows, isAsking } = this.program
    const from = this.program.isBehind ? 0 : Math.max(this.#from - 1, 0)
    this.visits = new Visits(isAsking ? rows * 2 : rows, from, this.text.length, (bytes) => this.#allowance.hold(bytes))
  }

  /** What follows has nothing to do with the way so far. */
  protected forgetVisits(): void {
    this.visits = undefined
    this.#spent = 0
  }

  protected push(pc: number, at: number, more: number): void {
    if (this.top + FRAME > this.stack.length) {
      this.#allowance.hold(this.stack.length * 8)
      const stack = new Int32Array(this.stack.length * 2)
      stack.set(this.stack)
      this.stack = stack
    }
    const { stack } = this
    stack[this.top] = pc
    stack[this.top + 1] = at
    stack[this.top + 2] = more
    this.top += FRAME
  }

  /** Notes a place, in a way that can be taken back. */
  protected note(slot: number, at: number): void {
    this.push(-1 - slot, this.slots[slot]!, CHOICE)
    this.slots[slot] = at
  }

  /** How many of the open turns have read nothing yet: of nested turns these are the inner ones. */
  protected idle(open: number, at: number): number {
    let count = 0
    const base = this.program.groups * 2
    while (count < open && this.slots[base + open - 1 - count] === at) count += 1
    return count
  }
}
