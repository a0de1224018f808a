import type { FunctionCode } from '../compile/code.ts'
import { Emitter } from '../compile/emit/emitter.ts'
import type { Fn } from '../compile/ir.ts'
import type { Action, Language } from '../compile/language.ts'
import type { FunctionInfo } from '../compile/lower/scope.ts'
import { NEXT, SUSPEND, WHY_GIVE } from '../machine/activation.ts'
import type { Activation } from '../machine/activation.ts'
import { IN_TRY, charge, live } from '../meter/live.ts'
import type { Guest } from '../value/guest.ts'
import { GuestNative } from '../value/native/guest-native.ts'
import { Box } from '../value/guest-function.ts'
import type { Closure, Frame } from '../value/guest-function.ts'
import { LABEL_BITS, CHOSEN } from './bits.ts'
import { effectsIn, effectsOf } from './rules/effect-analysis.ts'
import { runLabelled } from './function-entry.ts'
import { deepLabel, callbackResults } from './heap.ts'
import { noteMayThrow } from './rules/variables.ts'
import { raiseEffects } from './raise-effects.ts'
import { labelSlot } from './slots.ts'

/** Frame sizes before a form of the function was compiled. */
const sizes = new WeakMap<FunctionInfo, number>()
const pcSlots = new WeakMap<FunctionInfo, number>()

/** The frame slot in which a suspended function keeps its program counter label. */
export function pcSlotOf(code: FunctionCode): number {
  code.resumable()
  return pcSlots.get(code.fn.info!)!
}

export function prologue(fn: Fn, emit: Emitter): Closure[] {
  const actions: Closure[] = []
  sizes.set(emit.fn, emit.fn.size)
  for (const param of fn.params) {
    const { slot, isCaptured } = param.variable!
    const at = labelSlot(emit.fn, slot)
    if (param.initial !== undefined) {
      const initial = emit.ex(param.initial)
      const effects = effectsIn([param.initial], emit)
      actions.push((frame) => {
        const given = frame[at] as number
        const saved = live.pc
        // Whether the default is evaluated depends on the argument.
        if (given !== 0) live.pc |= given | CHOSEN
        if (frame[slot] === undefined) {
          live.label = 0
          frame[slot] = initial(frame)
          frame[at] = given === 0 ? live.label : live.label | given | CHOSEN
          if (live.label !== 0) noteMayThrow()
        }
        if (given === 0) return undefined
        raiseEffects(effects, emit.unit, frame, live.pc & LABEL_BITS)
        if ((saved & IN_TRY) === 0) live.pc = saved
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

/** The result carries its own label joined with the program counter label at the return. */
export function body(code: FunctionCode, run: Closure, emit: Emitter): Closure {
  // Loops over lists reserved extra slots.
  const sized = code as { slots: number }
  if (emit.fn.size > sizes.get(emit.fn)!) sized.slots = emit.fn.size
  if (code.isAsync || code.isGenerator) {
    return (frame) => {
      const outer = live.label
      const saved = live.pc
      const made = run(frame)
      live.label = outer
      live.pc = saved
      if (made instanceof GuestNative) made.label |= saved & LABEL_BITS
      return made
    }
  }
  const leaving = (frame: Frame, saved: number): void => leave(code, emit, frame, saved)
  code.labelled = run
  code.leave = leaving
  const slots = code.fn.params.map(({ variable }) => labelSlot(emit.fn, variable!.slot))
  const { base } = emit.unit.language.labels!
  let plain: Closure | undefined
  return (frame) => {
    // No label has entered the run, and none can enter while this body runs.
    if (!live.isLabelled) return (plain ??= unlabelledBody(code, base, emit))(frame)
    // Arguments passed by a built-in carry the label of everything the built-in was given.
    for (let i = 0; i < slots.length; i++) frame[slots[i]!] ??= live.callbackLabel
    const saved = live.pc
    let value: Guest
    try {
      value = runLabelled(code, run, frame)
    } catch (error) {
      leaveEarly(code, emit, frame, saved)
      throw error
    }
    if (callbackResults.areInspected) live.label |= deepLabel(value)
    return value
  }
}

function unlabelledBody(code: FunctionCode, language: Language, emit: Emitter): Closure {
  return new Emitter({ ...emit.unit, language }, emit.fn).body(code)
}

/** Called when labelled data decided where the function returned: the statements after that point may have run in another execution. */
function leave(code: FunctionCode, emit: Emitter, frame: Frame, saved: number): void {
  if ((live.pc & LABEL_BITS) !== (saved & LABEL_BITS)) {
    live.label |= live.pc & LABEL_BITS
    raiseEffects(effectsOf(code.fn), emit.unit, frame, live.pc & LABEL_BITS)
  }
  // Inside a `try`, the label of what could have thrown stays in the program counter label.
  live.pc = (saved & IN_TRY) === 0 ? saved : live.pc | saved
}

/** Called when the function has thrown and the caller continues: the rest of the function may have run in another execution. */
function leaveEarly(code: FunctionCode, emit: Emitter, frame: Frame, saved: number): void {
  const bits = (live.label | live.pc) & LABEL_BITS
  // As with a return, labelled data decided where the function was left.
  if (bits !== (saved & LABEL_BITS)) raiseEffects(effectsOf(code.fn), emit.unit, frame, bits | CHOSEN)
}

export function resumable(code: FunctionCode, run: Action, emit: Emitter): Action {
  const { fn } = emit
  const pcAt = fn.ownSlot()
  const entryAt = fn.ownSlot()
  pcSlots.set(fn, pcAt)
  // The promise of an `async` function catches its exceptions. The program itself has no such promise.
  const slots = code.fn.params.map(({ variable }) => labelSlot(fn, variable!.slot))
  const guarded = code.fn.isAsync && !code.fn.isIsolated ? IN_TRY : 0
  const { isGenerator } = code
  return (frame) => {
    const kept = frame[pcAt] as number | undefined
    if (isGenerator && (frame[entryAt] === undefined || (frame[1] as Activation).why === WHY_GIVE))
      enterStep(frame, entryAt, kept, guarded)
    else if (frame[entryAt] === undefined) {
      frame[entryAt] = kept ?? live.pc
      live.pc = (kept ?? live.pc) | guarded
    } else live.pc = kept ?? 0
    for (let i = 0; i < slots.length; i++) frame[slots[i]!] ??= live.callbackLabel
    live.label = 0
    let completion: unknown
    try {
      completion = run(frame)
    } catch (error) {
      if (guarded !== 0 || isGenerator) leaveEarly(code, emit, frame, frame[entryAt] as number)
      throw error
    }
    if (completion === SUSPEND) {
      frame[pcAt] = live.pc
      if (isGenerator && (frame[1] as Activation).why === WHY_GIVE)
        leaveStep(code, emit, frame, frame[entryAt] as number)
      return SUSPEND
    }
    if (completion === NEXT) live.label = 0
    if (isGenerator) live.label |= live.pc & LABEL_BITS
    if ((live.pc & LABEL_BITS) !== ((frame[entryAt] as number) & LABEL_BITS)) {
      live.label |= live.pc & LABEL_BITS
      raiseEffects(effectsOf(code.fn), emit.unit, frame, live.pc & LABEL_BITS)
    }
    return completion
  }
}

/** Enters a step of a generator, which runs in the control flow of its consumer. The generator's progress depends on all its previous uses. */
function enterStep(frame: Frame, entryAt: number, kept: number | undefined, guarded: number): void {
  const generator = (frame[1] as Activation).generator as unknown as GuestNative
  const used = generator.label | live.heapFloor
  live.pc |= (kept ?? 0) | guarded | (used === 0 ? 0 : used | CHOSEN)
  frame[entryAt] = live.pc
}

/** Leaves a step of a generator: where it yields, and which effects are still to come, depends on its control flow. */
function leaveStep(code: FunctionCode, emit: Emitter, frame: Frame, entry: number): void {
  const bits = live.pc & LABEL_BITS
  if (bits !== (entry & LABEL_BITS)) raiseEffects(effectsOf(code.fn), emit.unit, frame, bits)
  live.label |= bits
}
