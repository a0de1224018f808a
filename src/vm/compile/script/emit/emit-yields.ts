import { GOT_NOTHING, GOT_VALUE, NEXT, SUSPEND, WHY_AWAIT, WHY_GIVE } from '../../../machine/activation.ts'
import type { Activation, Got } from '../../../machine/activation.ts'
import { Delegate } from '../../../machine/iteration/delegate.ts'
import type { Guest } from '../../../value/guest.ts'
import type { Frame } from '../../../value/guest-function.ts'
import { isReturning, takeOutcome } from '../../emit/emit-waits.ts'
import type { Emitter } from '../../emit/emitter.ts'
import type { YieldTo } from '../../ir-statements.ts'
import type { Action } from '../../language.ts'

const GAVE = 1
/** Progress: an asynchronous generator awaits the value of a requested return. */
const RETURNS = 2
/** Progress: `yield*` of an asynchronous generator waits for the next item. */
const WAITS = 3

/** Suspends a generator with a value. */
export function give(frame: Frame, value: unknown, why: number): typeof SUSPEND {
  const activation = frame[1] as Activation
  activation.awaited = value as never
  activation.why = why
  return SUSPEND
}

/** Emits `yield value`. If the consumer requests a return, the generator completes as with a `return`. */
export function yieldTo(st: YieldTo, emit: Emitter): Action {
  if (st.kind === 'all') return yieldAll(st, emit)
  const value = emit.ex(st.value)
  const { slot } = st
  const place = emit.fn.ownSlot()
  const { isAsync } = emit.fn
  return (frame) => {
    if (!frame[place]) {
      frame[place] = GAVE
      return give(frame, value(frame), WHY_GIVE)
    }
    if (isAsync && frame[place] === GAVE && isReturning(frame)) {
      frame[place] = RETURNS
      return give(frame, takeOutcome(frame), WHY_AWAIT)
    }
    const ends = frame[place] === RETURNS || isReturning(frame)
    frame[place] = 0
    const got = takeOutcome(frame)
    if (ends) return got
    if (slot >= 0) frame[slot] = got
    return NEXT
  }
}

/** Emits `yield* source`: forwards the values sent by the consumer to the source, and its items to the consumer. */
function yieldAll(st: YieldTo, emit: Emitter): Action {
  const value = emit.ex(st.value)
  const { slot } = st
  const place = emit.fn.ownSlot()
  const inner = emit.fn.ownSlot()
  const { isAsync } = emit.fn
  return (frame) => {
    const phase = frame[place]
    // If the source throws, the statement is left.
    frame[place] = 0
    if (!phase) frame[inner] = new Delegate(value(frame), isAsync)
    const source = frame[inner] as Delegate
    if (!phase) source.send(undefined, GOT_VALUE, 0)
    else if (phase === WAITS) source.settle(takeOutcome(frame))
    else source.send(...takeSent(frame), 0)
    if (source.awaited !== undefined) {
      frame[place] = WAITS
      return give(frame, source.awaited.value, WHY_AWAIT)
    }
    if (!source.isDone) {
      frame[place] = GAVE
      return give(frame, source.value, WHY_GIVE)
    }
    frame[inner] = undefined
    if (source.returns) return source.value
    if (slot >= 0) frame[slot] = source.value
    return NEXT
  }
}

/** Returns the value that the consumer of a generator sent, and the kind of the request. */
export function takeSent(frame: Frame): [value: Guest, got: Got] {
  const activation = frame[1] as Activation
  const { received, got } = activation
  activation.received = undefined
  activation.got = GOT_NOTHING
  return [received, got as Got]
}
