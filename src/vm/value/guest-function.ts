import type { Guest } from './guest.ts'
import type { GuestObject } from './guest-object.ts'
import type { HeapLabel } from './heap-label.ts'

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
  readonly isGenerator: boolean
  /** Parameters taken from the arguments by position, the hidden one included; one more slot holds the rest if there is one. */
  readonly params: number
  readonly hasRest: boolean
  /** The first argument in the rest: 0 for `arguments`. */
  readonly restFrom: number
  /** The hidden first parameter: `this`, or for the constructor of a class the target of `new`. */
  readonly receives: 'this' | 'new' | undefined
  /** Parameters that a call may fill directly: none if the first one is hidden. */
  readonly direct: number
  /** Neither a hidden parameter nor a rest. */
  readonly isPlain: boolean
  /** Whether `new` makes an object with it: a class, or a function that is neither arrow, method nor `async`. */
  readonly isConstructor: boolean
  /** `length` as visible to programs. */
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
  /** Own properties: statics, and the prototype of what it constructs. */
  own: GuestObject | null = null
  /** Labels of the own properties; the captured variables have their own. */
  label: HeapLabel = 0
  /** The heap count that visited it last. */
  mark = 0
  constructor(code: Code, boxes: Box[]) {
    this.code = code
    this.boxes = boxes
  }
}
