import type { Guest } from './guest.ts'

/** A variable that a function took with it. */
export class Box {
  value: Guest
  /** Reserved for data-flow labels: an interned set, 0 is clean. */
  label = 0
  /** The count of memory that met it last. */
  mark = 0
  constructor(value: Guest) {
    this.value = value
  }
}

/** The variables of one activation: slot 0 holds the captured boxes, slot 1 the activation if it can be put aside, then parameters, locals, temporaries. */
export type Frame = [boxes: readonly Box[], activation: unknown, ...slots: unknown[]]

/** Computes a value from the variables of an activation. */
export type Closure = (frame: Frame) => Guest

/** A function once compiled. */
export interface Code {
  /** Index among the functions of the program: how kept values name it. */
  readonly id: number
  readonly name: string
  readonly isAsync: boolean
  /** Parameters taken from the arguments by position; one more slot holds the rest if there is one. */
  readonly params: number
  readonly hasRest: boolean
  /** `length` as programs see it. */
  readonly arity: number
  readonly slots: number
  /** Native frames a call may need. */
  readonly nest: number
  /** Units charged at entry. */
  readonly cost: number
  /** Runs it to its end on the native stack. */
  body: Closure
  /** Whether a call is worth being able to put aside: it loops or calls. */
  readonly isLong: boolean
  /** The form that can be put aside between statements; made when first needed. */
  resumable(): (frame: Frame) => unknown
}

export class GuestFunction {
  readonly code: Code
  readonly boxes: Box[]
  /** Reserved for data-flow labels: an interned set, 0 is clean. */
  label = 0
  /** The count of memory that met it last. */
  mark = 0
  constructor(code: Code, boxes: Box[]) {
    this.code = code
    this.boxes = boxes
  }
}
