import { GOT_VALUE, NEXT, SUSPEND, WHY_AWAIT } from '../../../machine/activation.ts'
import type { Activation } from '../../../machine/activation.ts'
import { caught } from '../../../machine/caught.ts'
import { isObject, refuseResult } from '../../../machine/iteration/cursors.ts'
import { Delegate } from '../../../machine/iteration/delegate.ts'
import { live } from '../../../meter/live.ts'
import type { Guest } from '../../../value/guest.ts'
import type { Frame } from '../../../value/guest-function.ts'
import { carry } from '../../../value/thrown.ts'
import { blockCost } from '../../costs.ts'
import { goesOn, leftWith } from '../../emit/emit-cursor-loops.ts'
import { blockOf, forOf } from '../../emit/emit-resumable.ts'
import { setItemOf } from '../../emit/emit-steps.ts'
import { takeOutcome } from '../../emit/emit-waits.ts'
import type { Emitter } from '../../emit/emitter.ts'
import { locate } from '../../error-location.ts'
import type { ForOf } from '../../ir-statements.ts'
import type { Action } from '../../language.ts'
import { give, takeSent } from './emit-yields.ts'

const ASKED = 1
const IN_BODY = 2
/** Progress: the loop was left and waits until its source has ended. */
const CLOSING = 3
/** The same after an exception. */
const FAILING = 4

/** `for … of`, and `for await … of`. */
export function eachOf(st: ForOf, emit: Emitter): Action {
  return st.isAwait === true ? forAwait(st, emit) : forOf(st, emit)
}

function emitSource(st: ForOf, emit: Emitter): (frame: Frame) => Delegate {
  const items = emit.ex(st.items)
  const { at } = st
  return (frame) => {
    try {
      return new Delegate(items(frame), true)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

function forAwait(st: ForOf, emit: Emitter): Action {
  const open = emitSource(st, emit)
  const body = blockOf(st.body, emit)
  const set = setItemOf(st)
  const cost = 200 + blockCost(st.body)
  const { labels } = st
  const place = emit.fn.ownSlot()
  const source = emit.fn.ownSlot()
  const after = emit.fn.ownSlot()
  const wait = (frame: Frame, phase: number, value: Guest): typeof SUSPEND => {
    frame[place] = phase
    return give(frame, value, WHY_AWAIT)
  }
  const fail = (frame: Frame, error: unknown): typeof SUSPEND => {
    frame[after] = caught(error)
    const awaited = closeQuietly(frame[source] as Delegate)
    if (awaited === undefined) throw error
    return wait(frame, FAILING, awaited.value)
  }
  return (frame) => {
    let phase = (frame[place] as number | undefined) ?? 0
    frame[place] = 0
    if (phase === CLOSING || phase === FAILING) return finish(frame, phase, after)
    if (phase === 0) frame[source] = open(frame)
    const from = frame[source] as Delegate
    for (;;) {
      if (phase !== IN_BODY) {
        if (phase !== ASKED) {
          if ((live.fuel -= cost) < 0) live.machine.refuel()
          live.label = 0
          from.send(undefined, GOT_VALUE, 0)
          return wait(frame, ASKED, from.awaited!.value)
        }
        take(frame, from)
        live.pc |= from.stepLabel
        if (from.isDone) return NEXT
        set(frame, from.value)
      }
      phase = 0
      let completion: unknown
      try {
        completion = body(frame)
      } catch (error) {
        return fail(frame, error)
      }
      if (completion === SUSPEND) {
        frame[place] = IN_BODY
        return SUSPEND
      }
      if (goesOn(completion, labels)) continue
      const awaited = from.close()
      frame[after] = leftWith(completion, labels)
      return awaited === undefined ? frame[after] : wait(frame, CLOSING, awaited.value)
    }
  }
}

/** Takes the result of a step. Its label is in `live.label`. */
function take(frame: Frame, from: Delegate): void {
  live.label = (frame[1] as Activation).label
  from.settle(takeOutcome(frame))
}

function finish(frame: Frame, phase: number, after: number): unknown {
  const completion = frame[after]
  frame[after] = undefined
  if (phase === FAILING) {
    takeSent(frame)
    throw carry(completion as Guest)
  }
  const result = takeOutcome(frame)
  if (!isObject(result)) refuseResult(result)
  return completion
}

function closeQuietly(from: Delegate): { readonly value: Guest } | undefined {
  const { depth } = live
  try {
    return from.close()
  } catch (failure) {
    caught(failure)
    live.depth = depth
    return undefined
  }
}
