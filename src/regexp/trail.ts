import { PatternText } from './pattern-text.ts'
import type { Program } from './program.ts'
import { Visits } from './visits.ts'

/** Step and memory limits of a search. Both functions may throw. */
export interface Allowance {
  /** Counts steps taken. */
  spend(steps: number): void
  /** Counts bytes before they are allocated. They are freed when the search ends. */
  hold(bytes: number): void
}

/** Steps between two checks of the allowance, by default. */
const SLICE = 512
/** Steps per character after which a search starts to record its visits, to repeat none. */
const PATIENCE = 8
/** Length of a stack frame: instruction, text position, and remaining length of a run. */
export const FRAME = 3
const SCRATCH = new Int32Array(1024 * FRAME)
const FREE: Allowance = { spend: () => {}, hold: () => {} }

/** Values in place of the remaining length of a run: the frame is a choice, or marks a position whose result was computed. */
export const CHOICE = -1
export const ASKED = -2

/** The state of a search: its backtracking stack, stored positions and steps taken. */
export class Trail extends PatternText {
  protected readonly slots: number[]
  protected stack: Int32Array = SCRATCH
  protected top = 0
  /** Steps left before the next check of the allowance. */
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

  /** Resets the state for a new search. */
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

  /** Releases the memory of this search. */
  protected end(): void {
    this.text = ''
    this.stack = SCRATCH
    this.visits = undefined
    this.#allowance = FREE
  }

  /** Counts the steps since the last check. A search with many steps per character starts to record its visits. */
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

  /** Clears the recorded visits, because the following search is independent of them. */
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

  /** Stores a position; backtracking restores the previous one. */
  protected note(slot: number, at: number): void {
    this.push(-1 - slot, this.slots[slot]!, CHOICE)
    this.slots[slot] = at
  }

  /** Counts the open repetitions that have consumed nothing yet. Of nested repetitions these are the inner ones. */
  protected idle(open: number, at: number): number {
    let count = 0
    const base = this.program.groups * 2
    while (count < open && this.slots[base + open - 1 - count] === at) count += 1
    return count
  }
}
