import { charge } from '../meter/live.ts'
import { NEXT } from '../machine/activation.ts'
import type { BuiltinTable } from '../door.ts'
import type { Guest } from '../value/guest.ts'
import { Box } from '../value/guest-function.ts'
import type { Closure } from '../value/guest-function.ts'
import type { Shape } from '../value/shape.ts'
import { FunctionCode } from './code.ts'
import type { CodeMaker } from './code.ts'
import { emitList } from './emit-blocks.ts'
import { emitResumableBody } from './emit-resumable.ts'
import type { Ex, Fn, St } from './ir.ts'
import type { Action, Language } from './language.ts'
import type { FunctionInfo } from './scope.ts'
import type { Tracing } from './tracing.ts'

/** What all functions of one program share while it is compiled. */
export interface Unit {
  readonly language: Language
  readonly root: Shape
  /** By the place of the function in the program. */
  readonly codes: FunctionCode[]
  readonly isTraced: boolean
  /** What notes the steps that ran, where they are. */
  readonly tracing?: Tracing | undefined
  readonly builtins: BuiltinTable
}

/** Makes the closures of one function. */
export class Emitter implements CodeMaker {
  readonly unit: Unit
  readonly fn: FunctionInfo
  /** Inside an optional chain, what is skipped gives `SKIP`. */
  inChain = false

  constructor(unit: Unit, fn: FunctionInfo) {
    this.unit = unit
    this.fn = fn
  }

  suspends(node: Ex | St): 0 | 1 | 2 {
    return this.unit.language.suspends(node)
  }

  ex(node: Ex): Closure {
    return this.unit.language.exprs.get(node.k)!(node as never, this)
  }

  st(node: St): Action {
    const action = this.unit.language.steps.get(node.k)!(node as never, this)
    return this.unit.tracing?.traced(node, action) ?? action
  }

  /** The slot of a plain local variable, or below 0: such operands need no closure of their own. */
  slot(node: Ex): number {
    const { labels } = this.unit.language
    if (labels !== undefined && !labels.isPlain(node, this)) return -1
    if (node.k === 'temp') return node.slot
    if (node.k !== 'var' || node.ref?.to !== 'local') return -1
    const { variable } = node.ref
    return variable.isCaptured || variable.isChecked ? -1 : variable.slot
  }

  body(code: FunctionCode): Closure {
    const { labels } = this.unit.language
    return labels === undefined ? this.#body(code) : labels.body(code, this.#body(code), this)
  }

  #body(code: FunctionCode): Closure {
    const prologue = this.#prologue(code.fn)
    if (code.isAsync) {
      return (frame) => {
        // The frame was made for the other form; this one has more slots.
        code.resumable()
        while (frame.length < code.resumableSlots) frame.push(undefined)
        return this.unit.language.startAsync!(code, frame)
      }
    }
    const [only] = code.fn.body.body
    if (
      code.fn.body.body.length === 1 &&
      only?.k === 'return' &&
      only.value !== undefined &&
      !code.fn.body.entry?.length
    )
      return withPrologue(prologue, this.ex(only.value))
    const run = emitList(code.fn.body, this)
    return withPrologue(prologue, (frame) => {
      const completion = run(frame)
      return completion === NEXT ? undefined : (completion as Guest)
    })
  }

  resumable(code: FunctionCode): Action {
    const { labels } = this.unit.language
    const body = emitResumableBody(code.fn, this.#prologue(code.fn), this)
    return labels === undefined ? body : labels.resumable(code, body, this)
  }

  #prologue(fn: Fn): Closure[] {
    const { labels } = this.unit.language
    return labels === undefined ? emitPrologue(fn, this) : labels.prologue(fn, this)
  }
}

function withPrologue(prologue: Closure[], body: Closure): Closure {
  const [first] = prologue
  if (first === undefined) return body
  if (prologue.length === 1)
    return (frame) => {
      first(frame)
      return body(frame)
    }
  return (frame) => {
    for (let i = 0; i < prologue.length; i++) prologue[i]!(frame)
    return body(frame)
  }
}

/** What happens to parameters before the body: defaults, and boxes for those that functions inside take along. */
function emitPrologue(fn: Fn, emit: Emitter): Closure[] {
  const actions: Closure[] = []
  for (const param of fn.params) {
    const { slot, isCaptured } = param.variable!
    if (param.initial !== undefined) {
      const initial = emit.ex(param.initial)
      actions.push((frame) => {
        if (frame[slot] === undefined) frame[slot] = initial(frame)
        return undefined
      })
    }
    if (isCaptured)
      actions.push((frame) => {
        charge(32)
        frame[slot] = new Box(frame[slot] as Guest)
        return undefined
      })
  }
  return actions
}

/** Registers the functions of a program. They are compiled when they are first called. */
export function addCodes(unit: Unit, fns: readonly Fn[]): void {
  for (const fn of fns) unit.language.labels?.reserve(fn)
  for (const fn of fns) unit.codes.push(new FunctionCode(unit.codes.length, fn, new Emitter(unit, fn.info!)))
}
