import type { Guest } from './guest.ts'

/** A captured variable. */
export class Box {
  value: Guest
  /** Label bit set; 0 is unlabelled. */
  label = 0
  /** The heap count that visited it last. */
  mark = 0
  constructor(value: Guest) {
    this.value = value
  }
}

/** The variables of one activation: slot 0 the captured boxes, slot 1 the activation in the resumable form, then parameters, locals, temporaries. */
export type Frame = [boxes: readonly Box[], activation: unknown, ...slots: unknown[]]

/** Evaluates an expression over a frame. */
export type Closure = (frame: Frame) => Guest

/** A compiled function. */
export interface Code {
  /** Index among the functions of the program, used by serialized values. */
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
  /** Whether calls should be suspendable: the function loops or calls. */
  readonly isLong: boolean
  /** The resumable form, compiled on first use. */
  resumable(): (frame: Frame) => unknown
}

export class GuestFunction {
  readonly code: Code
  readonly boxes: Box[]
  /** Label bit set; 0 is unlabelled. */
  label = 0
  /** The heap count that visited it last. */
  mark = 0
  constructor(code: Code, boxes: Box[]) {
    this.code = code
    this.boxes = boxes
  }
}
