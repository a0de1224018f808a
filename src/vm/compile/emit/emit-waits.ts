import { GOT_NOTHING, GOT_RETURN, GOT_THROW, NEXT, SUSPEND, WHY_AWAIT } from '../../machine/activation.ts'
import type { Activation } from '../../machine/activation.ts'
import { UNITS_PER_FUEL, burn, live } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import type { Frame } from '../../value/guest-function.ts'
import { carry } from '../../value/thrown.ts'
import { atomCost } from '../atom-cost.ts'
import { writeRef } from './emit-variables.ts'
import type { Emitter } from './emitter.ts'
import type { AwaitTo, Request } from '../ir-statements.ts'
import type { Action } from '../language.ts'

/** Whether the consumer of a generator requested a return. The outcome is then the returned value. */
export function isReturning(frame: Frame): boolean {
  return (frame[1] as Activation).got === GOT_RETURN
}

/** Takes the outcome that a suspended activation received. */
export function takeOutcome(frame: Frame): Guest {
  const activation = frame[1] as Activation
  const { received, got } = activation
  activation.received = undefined
  activation.got = GOT_NOTHING
  if (got === GOT_THROW) throw carry(received)
  return received
}

export function awaitTo(st: AwaitTo, emit: Emitter): Action {
  const value = emit.ex(st.value)
  const { slot } = st
  const place = emit.fn.ownSlot()
  return (frame) => {
    if (!frame[place]) {
      const activation = frame[1] as Activation
      activation.awaited = value(frame)
      activation.why = WHY_AWAIT
      frame[place] = 1
      return SUSPEND
    }
    frame[place] = 0
    const got = takeOutcome(frame)
    if (slot >= 0) frame[slot] = got
    return NEXT
  }
}

export function request(st: Request, emit: Emitter): Action {
  const fields = emit.ex(st.fields)
  const { atom } = st
  const write = st.target === undefined ? undefined : writeRef(st.target)
  const place = emit.fn.ownSlot()
  return (frame) => {
    if (!frame[place]) {
      const input = fields(frame)
      if (typeof atom.cost === 'function') burn(Math.round(atomCost(atom, input) * UNITS_PER_FUEL))
      const activation = frame[1] as Activation
      activation.awaited = live.machine.waiting.request(atom.kind ?? 'atom', atom.op, input)
      activation.why = WHY_AWAIT
      frame[place] = 1
      return SUSPEND
    }
    frame[place] = 0
    const got = takeOutcome(frame)
    write?.(frame, got)
    return NEXT
  }
}
