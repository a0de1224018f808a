import { BREAK, CONTINUE, NEXT } from '../../machine/activation.ts'
import { LiveItems, isAtEnd } from '../../machine/iteration/items.ts'
import { live } from '../../meter/live.ts'
import type { Closure } from '../../value/guest-function.ts'
import { blockCost } from '../costs.ts'
import { emitList } from './emit-blocks.ts'
import { emitItems, isLabelled, setItemOf, iterationCost } from './emit-steps.ts'
import { CursorItems } from '../../machine/iteration/cursors.ts'
import { emitCursorLoop } from './emit-cursor-loops.ts'
import type { Emitter } from './emitter.ts'
import type { ForOf, Loop, SetTemp } from '../ir-statements.ts'
import type { Action, EmitStep } from '../language.ts'

function setTemp(st: SetTemp, emit: Emitter): Action {
  const value = emit.ex(st.value)
  const { slot } = st
  return (frame) => {
    frame[slot] = value(frame)
    return NEXT
  }
}

function loop(st: Loop, emit: Emitter): Action {
  const test = st.test === undefined ? undefined : emit.ex(st.test)
  const body = emitList(st.body, emit)
  const cost = iterationCost(st)
  const always: Closure = () => true
  const again = test ?? always
  return (frame) => {
    while (again(frame)) {
      if ((live.fuel -= cost) < 0) live.machine.refuel()
      const completion = body(frame)
      if (completion === NEXT || completion === CONTINUE) continue
      if (completion === BREAK) break
      return completion
    }
    return NEXT
  }
}

function forOf(st: ForOf, emit: Emitter): Action {
  const items = emitItems(st, emit)
  const body = emitList(st.body, emit)
  const set = setItemOf(st)
  const cost = 200 + blockCost(st.body)
  const { labels } = st
  const own = st.variable!.isCaptured ? -1 : st.variable!.slot
  const throughCursor = emitCursorLoop({ body, set, cost, labels })
  return (frame) => {
    const list = items(frame)
    if (list instanceof CursorItems) return throughCursor(frame, list)
    const { items: all } = list
    const keyed = list instanceof LiveItems ? list : undefined
    for (let i = 0; i < all.length || !isAtEnd(list, i); i++) {
      if ((live.fuel -= cost) < 0) live.machine.refuel()
      if (keyed === undefined && own >= 0) frame[own] = all[i]
      else if (keyed === undefined) set(frame, all[i])
      else if (!keyed.holds(all[i])) continue
      else if (own >= 0) frame[own] = keyed.itemFor(all[i])
      else set(frame, keyed.itemFor(all[i]))
      const completion = body(frame)
      if (completion === NEXT || completion === CONTINUE) continue
      if (completion === BREAK) break
      if (isLabelled(completion, labels)) {
        if (completion.kind === 'continue') continue
        break
      }
      return completion
    }
    return NEXT
  }
}

/** Loops in the native form, inside functions; the main program has only resumable loops. */
export const EMIT_LOOPS: readonly (readonly [string, EmitStep])[] = [
  ['settemp', setTemp],
  ['loop', loop],
  ['forof', forOf],
]
