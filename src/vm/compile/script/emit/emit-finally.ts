import { NEXT, SUSPEND } from '../../../machine/activation.ts'
import { caught } from '../../../machine/caught.ts'
import { live } from '../../../meter/live.ts'
import type { Guest } from '../../../value/guest.ts'
import { carry } from '../../../value/thrown.ts'
import { blockCost } from '../../costs.ts'
import { emitList } from '../../emit/emit-blocks.ts'
import { blockOf, tryResumable } from '../../emit/emit-resumable.ts'
import { emitTry } from '../../emit/emit-steps.ts'
import type { Emitter } from '../../emit/emitter.ts'
import type { Try } from '../../ir-statements.ts'
import type { Action } from '../../language.ts'

/** `try` with `catch`, `finally` or both. */
export function emitTryFinally(st: Try, emit: Emitter): Action {
  const guarded = emitTry(st, emit)
  if (st.finalizer === undefined) return guarded
  const finalizer = emitList(st.finalizer, emit)
  const cost = blockCost(st.finalizer)
  return (frame) => {
    const { depth } = live
    let completion: unknown
    let error: unknown
    let hasThrown = false
    try {
      completion = guarded(frame)
    } catch (failure) {
      caught(failure)
      error = failure
      hasThrown = true
    }
    live.depth = depth
    live.fuel -= cost
    const last = finalizer(frame)
    if (last !== NEXT) return last
    if (hasThrown) throw error
    return completion
  }
}

/** The resumable form. */
export function tryFinallyResumable(st: Try, emit: Emitter): Action {
  const guarded = tryResumable(st, emit)
  if (st.finalizer === undefined) return guarded
  const finalizer = blockOf(st.finalizer, emit)
  const isFinal = emit.fn.ownSlot()
  // Pending after a `finally`: a completion, or a value to throw.
  const after = emit.fn.ownSlot()
  const throwing = emit.fn.ownSlot()
  return (frame) => {
    if (frame[isFinal] !== 1) {
      frame[throwing] = false
      try {
        const outcome = guarded(frame)
        if (outcome === SUSPEND) return SUSPEND
        frame[after] = outcome
      } catch (error) {
        frame[after] = caught(error)
        frame[throwing] = true
      }
    }
    frame[isFinal] = 0
    const last = finalizer(frame)
    if (last === SUSPEND) {
      frame[isFinal] = 1
      return SUSPEND
    }
    const completion = frame[after]
    frame[after] = undefined
    if (last !== NEXT) return last
    if (frame[throwing] === true) throw carry(completion as Guest)
    return completion
  }
}
