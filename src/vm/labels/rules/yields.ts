import { give, takeSent } from '../../compile/script/emit/emit-yields.ts'
import { isReturning } from '../../compile/emit/emit-waits.ts'
import type { Emitter } from '../../compile/emit/emitter.ts'
import type { YieldTo } from '../../compile/ir-statements.ts'
import type { Action } from '../../compile/language.ts'
import { GOT_VALUE, NEXT, WHY_AWAIT, WHY_GIVE } from '../../machine/activation.ts'
import type { Activation } from '../../machine/activation.ts'
import { Delegate } from '../../machine/iteration/delegate.ts'
import { live } from '../../meter/live.ts'
import { CHOSEN, LABEL_BITS } from '../bits.ts'
import { labelSlot } from '../slots.ts'
import { noteTemp } from '../temps.ts'
import { takeLabelled } from '../waits.ts'

const GAVE = 1
const RETURNS = 2
const WAITS = 3

/** Emits `yield value`. `live.label` then holds the label of the value, and later that of the value sent by the consumer. */
export function yieldTo(st: YieldTo, emit: Emitter): Action {
  noteTemp(emit.fn, st)
  if (st.kind === 'all') return yieldAll(st, emit)
  const value = emit.ex(st.value)
  const { slot } = st
  const at = labelSlot(emit.fn, slot)
  const place = emit.fn.ownSlot()
  const { isAsync } = emit.fn
  return (frame) => {
    if (!frame[place]) {
      live.label = 0
      const given = value(frame)
      frame[place] = GAVE
      return give(frame, given, WHY_GIVE)
    }
    noteSent((frame[1] as Activation).label)
    if (isAsync && frame[place] === GAVE && isReturning(frame)) {
      frame[place] = RETURNS
      return give(frame, takeSent(frame)[0], WHY_AWAIT)
    }
    const ends = frame[place] === RETURNS || isReturning(frame)
    frame[place] = 0
    const got = takeLabelled(frame, 0)
    if (ends) return got
    frame[slot] = got
    frame[at] = live.label
    return NEXT
  }
}

/** Notes that the kind of request of the consumer (value, exception or end) may depend on the value it sends. */
function noteSent(bits: number): void {
  if ((bits & LABEL_BITS) !== 0) live.pc |= (bits & LABEL_BITS) | CHOSEN
}

function yieldAll(st: YieldTo, emit: Emitter): Action {
  const value = emit.ex(st.value)
  const { slot } = st
  const at = labelSlot(emit.fn, slot)
  const place = emit.fn.ownSlot()
  const inner = emit.fn.ownSlot()
  const { isAsync } = emit.fn
  return (frame) => {
    const phase = frame[place]
    frame[place] = 0
    live.label = 0
    const sent = (frame[1] as Activation).label
    if (!phase) {
      const source = value(frame)
      if (live.label !== 0) live.machine.flow!.noteIteration(live.label)
      noteSent(live.label)
      frame[inner] = new Delegate(source, isAsync)
    }
    const source = frame[inner] as Delegate
    if (!phase) source.send(undefined, GOT_VALUE, 0)
    else if (phase === WAITS) source.settle(takeLabelled(frame, 0))
    else {
      noteSent(sent)
      source.send(...takeSent(frame), sent)
    }
    // Whether the source has ended decides what runs next.
    noteSent(source.stepLabel)
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
    frame[slot] = source.value
    frame[at] = live.label
    return NEXT
  }
}
