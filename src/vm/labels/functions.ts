import type { FunctionCode } from '../compile/code.ts'
import type { Emitter } from '../compile/emitter.ts'
import type { Fn } from '../compile/ir.ts'
import type { Action } from '../compile/language.ts'
import type { FunctionInfo } from '../compile/scope.ts'
import { NEXT, SUSPEND } from '../machine/activation.ts'
import { charge, live } from '../meter/live.ts'
import type { Guest } from '../value/guest.ts'
import { Box } from '../value/guest-function.ts'
import type { Closure } from '../value/guest-function.ts'
import { BITS, CHOSEN, GUARDED } from './bits.ts'
import { guard } from './leaves.ts'
import { labelSlot } from './slots.ts'

const pcSlots = new WeakMap<FunctionInfo, number>()

/** Where a function that is put aside keeps what led to where it is. */
export function pcSlotOf(code: FunctionCode): number {
  code.resumable()
  return pcSlots.get(code.fn.info!)!
}

/** Arguments that a built-in gave have the labels of all that it was given. */
export function prologue(fn: Fn, emit: Emitter): Closure[] {
  const actions: Closure[] = []
  for (const param of fn.params) {
    const { slot, isCaptured } = param.variable!
    const at = labelSlot(emit.fn, slot)
    actions.push((frame) => {
      if (frame[at] === undefined) frame[at] = live.given
      return undefined
    })
    if (param.initial !== undefined) {
      const initial = emit.ex(param.initial)
      actions.push((frame) => {
        if (frame[slot] !== undefined) return undefined
        const given = frame[at] as number
        live.lab = 0
        frame[slot] = initial(frame)
        frame[at] = given === 0 ? live.lab : live.lab | given | CHOSEN
        if (live.lab !== 0) guard()
        return undefined
      })
    }
    if (isCaptured)
      actions.push((frame) => {
        charge(32)
        const box = new Box(frame[slot] as Guest)
        box.label = frame[at] as number
        frame[slot] = box
        return undefined
      })
  }
  return actions
}

/** What a function gives has its own labels, and those of what led to its giving just that. */
export function body(code: FunctionCode, run: Closure, emit: Emitter): Closure {
  // Going through lists took slots of their own.
  const sized = code as { slots: number }
  sized.slots = Math.max(sized.slots, emit.fn.size)
  if (code.isAsync) {
    return (frame) => {
      const outer = live.lab
      const saved = live.pc
      const promise = run(frame)
      live.lab = outer
      live.pc = saved
      return promise
    }
  }
  const [only] = code.fn.body.body
  const isExpression = code.fn.body.body.length === 1 && only?.k === 'return' && only.value !== undefined
  return (frame) => {
    const outer = live.lab
    const saved = live.pc
    live.lab = 0
    const value = run(frame)
    if (value === undefined && !isExpression) live.lab |= 0
    if (live.pc !== saved) {
      if ((live.pc & BITS) !== (saved & BITS)) live.lab |= live.pc & BITS
      // Where it may be caught, what could have thrown in here leads on.
      live.pc = (saved & GUARDED) === 0 ? saved : live.pc | saved
    }
    live.lab |= outer
    return value
  }
}

export function resumable(code: FunctionCode, run: Action, emit: Emitter): Action {
  const { fn } = emit
  const pcAt = fn.ownSlot()
  const entryAt = fn.ownSlot()
  pcSlots.set(fn, pcAt)
  // What an `async` function throws is caught by its promise; what the program throws ends it.
  const guarded = code.isAsync && !code.fn.isIsolated ? GUARDED : 0
  return (frame) => {
    const kept = frame[pcAt] as number | undefined
    if (frame[entryAt] === undefined) {
      frame[entryAt] = kept ?? live.pc
      live.pc = (kept ?? live.pc) | guarded
    } else live.pc = kept ?? 0
    live.lab = 0
    const completion = run(frame)
    if (completion === SUSPEND) {
      frame[pcAt] = live.pc
      return SUSPEND
    }
    if (completion === NEXT) live.lab = 0
    if ((live.pc & BITS) !== ((frame[entryAt] as number) & BITS)) live.lab |= live.pc & BITS
    return completion
  }
}
