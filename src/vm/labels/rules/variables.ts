import type { Emitter } from '../../compile/emit/emitter.ts'
import type { Arg, Ex, Temp, Var } from '../../compile/ir.ts'
import type { EmitExpr } from '../../compile/language.ts'
import { IN_TRY, live } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import type { Box, Closure, Frame } from '../../value/guest-function.ts'
import { CHOSEN } from '../bits.ts'
import { totalLabel, isHolder, partLabel } from '../heap.ts'
import { unlabelledIn } from '../unlabelled-variables.ts'
import { labelSlot } from '../slots.ts'

/** Inside a `try`, joins the current label into the program counter label: what was read may have thrown. */
export function noteMayThrow(): void {
  if (live.label !== 0 && (live.pc & IN_TRY) !== 0) live.pc |= live.label | CHOSEN
}

/** The program counter label, for values written here. Writes on the path not taken are raised where control flow joins (`endRegion`). */
export function pcLabel(): number {
  return live.pc & (CHOSEN - 1)
}

/** Evaluates an expression so that `live.label` holds its label alone. */
export function withOwnLabel(node: Ex, emit: Emitter): Closure {
  const value = emit.ex(node)
  if (unlabelledIn(emit).isUnlabelled(node)) return value
  return (frame) => {
    live.label = 0
    return value(frame)
  }
}

export function readVar(base: EmitExpr) {
  return function labelled(node: Var, emit: Emitter): Closure {
    const { ref } = node
    const read = base(node as never, emit)
    if (ref?.to === 'local') {
      const { slot, isCaptured, isChecked } = ref.variable
      if (isCaptured)
        return (frame) => {
          live.label |= (frame[slot] as Box).label | live.heapFloor
          return read(frame)
        }
      const at = labelSlot(emit.fn, slot)
      if (unlabelledIn(emit).has(ref.variable)) return read
      if (isChecked)
        return (frame) => {
          live.label |= frame[at] as number
          return read(frame)
        }
      return (frame) => {
        live.label |= frame[at] as number
        return frame[slot] as Guest
      }
    }
    if (ref?.to === 'box') {
      const { up } = ref
      if (ref.variable.isChecked)
        return (frame) => {
          live.label |= frame[0][up]!.label | live.heapFloor
          return read(frame)
        }
      return (frame) => {
        const box = frame[0][up]!
        live.label |= box.label | live.heapFloor
        return box.value
      }
    }
    if (ref?.to !== 'argument') return read
    return (frame) => {
      const { args } = live.machine
      if (isHolder(args)) live.label |= partLabel(args, node.name) | live.heapFloor
      return read(frame)
    }
  }
}

export function readTemp({ slot }: Temp, emit: Emitter): Closure {
  const at = labelSlot(emit.fn, slot)
  return (frame) => {
    live.label |= frame[at] as number
    return frame[slot] as Guest
  }
}

export const readArg = (base: EmitExpr) =>
  function arg(node: Arg, emit: Emitter): Closure {
    const read = base(node as never, emit)
    return (frame) => {
      const { args } = live.machine
      // The arguments carry one label for all of them.
      if (live.isLabelled && isHolder(args)) live.label |= totalLabel(args) | live.heapFloor
      return read(frame)
    }
  }

/** Makes the setter of a variable's label. Labels of captured boxes only grow, because a closure that writes them may run later. */
export function labelWriter(node: Var | Temp, emit: Emitter): (frame: Frame, bits: number) => void {
  if (node.k === 'temp') {
    const at = labelSlot(emit.fn, node.slot)
    return (frame, bits) => {
      frame[at] = bits
    }
  }
  const { ref } = node
  if (ref?.to === 'box') {
    const { up } = ref
    return (frame, bits) => {
      frame[0][up]!.label |= bits | pcLabel()
    }
  }
  if (ref?.to !== 'local') return () => {}
  const { slot, isCaptured } = ref.variable
  if (isCaptured)
    return (frame, bits) => {
      ;(frame[slot] as Box).label |= bits | pcLabel()
    }
  const at = labelSlot(emit.fn, slot)
  return (frame, bits) => {
    frame[at] = bits
  }
}
