import type { Closure, Code, Frame } from '../value/guest-function.ts'
import type { Guest } from '../value/guest.ts'
import type { Fn } from './ir.ts'
import type { Block } from './ir-statements.ts'
import { COST } from '../meter/cost.ts'
import { blockCost } from './costs.ts'
import type { Action } from './language.ts'

/** Native stack frames of a call besides those of its body. */
const CALL_NEST = 3

export interface CodeMaker {
  suspends(body: Block): 0 | 1 | 2
  body(code: FunctionCode): Closure
  resumable(code: FunctionCode): Action
}

/** A function of a program. Its two forms (native, resumable) are compiled on first use: most functions need only one. */
export class FunctionCode implements Code {
  readonly id: number
  readonly fn: Fn
  readonly name: string
  readonly isAsync: boolean
  readonly isGenerator: boolean
  /** Its parameters are filled by code, which runs at the call. */
  readonly fillsParameters: boolean
  readonly params: number
  readonly hasRest: boolean
  readonly restFrom: number
  readonly receives: 'this' | 'new' | undefined
  readonly direct: number
  readonly isPlain: boolean
  readonly isConstructor: boolean
  readonly arity: number
  readonly slots: number
  resumableSlots: number
  readonly nest: number
  readonly cost: number
  #isLong: boolean | undefined
  /** Whether it waits without being `async`, so that it needs the resumable form. */
  readonly waits: boolean
  body: Closure
  /** With label tracking: the body for calls with labelled arguments, and what runs when the program counter label has grown at its end. */
  labelled: Closure | undefined
  leave: ((frame: Frame, pc: number) => void) | undefined
  #resumable: Action | undefined
  /** Compiles the forms. */
  readonly maker: CodeMaker

  constructor(id: number, fn: Fn, maker: CodeMaker) {
    const info = fn.info!
    this.id = id
    this.fn = fn
    this.maker = maker
    this.name = fn.name
    // A call of an asynchronous generator returns a generator, not a promise.
    this.isGenerator = fn.isGenerator === true
    this.isAsync = fn.isAsync && !this.isGenerator
    this.fillsParameters = info.fillsParameters
    this.hasRest = fn.params.some((param) => param.isRest)
    this.params = fn.params.length - (this.hasRest ? 1 : 0)
    this.receives = fn.receives
    const hidden = fn.receives === undefined ? 0 : 1
    this.restFrom = fn.takesAll === true ? 0 : this.params - hidden
    this.direct = hidden === 0 ? this.params : 0
    this.isPlain = hidden === 0 && !this.hasRest
    this.isConstructor = fn.isConstructor === true
    const optional = fn.params.findIndex((param) => param.initial !== undefined || param.isRest)
    this.arity = (optional < 0 ? fn.params.length : optional) - hidden
    // Functions with a rest parameter need a frame of at least five slots, which is filled one by one.
    this.slots = this.hasRest ? Math.max(info.size, 5) : info.size
    this.resumableSlots = this.slots
    this.nest = info.nest + CALL_NEST
    this.cost = COST.call + blockCost(fn.body)
    this.waits = info.waits
    // Assigned via a local: V8 pretenures a closure assigned directly to a property, with everything it refers to.
    const compile = (frame: Frame): Guest => {
      this.body = maker.body(this)
      return this.body(frame)
    }
    this.body = compile
  }

  get isLong(): boolean {
    return (this.#isLong ??= !this.isGenerator && this.maker.suspends(this.fn.body) > 0)
  }

  resumable(): Action {
    if (this.#resumable === undefined) {
      this.#resumable = this.maker.resumable(this)
      this.resumableSlots = Math.max(this.slots, this.fn.info!.size)
    }
    return this.#resumable
  }
}
