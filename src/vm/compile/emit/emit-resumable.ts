import { BREAK, CONTINUE, NEXT, SUSPEND, WHY_YIELD } from '../../machine/activation.ts'
import type { Activation } from '../../machine/activation.ts'
import { caught } from '../../machine/caught.ts'
import { LiveItems, isAtEnd } from '../../machine/iteration/items.ts'
import { live } from '../../meter/live.ts'
import type { Closure, Frame } from '../../value/guest-function.ts'
import type { GuestArray } from '../../value/guest-array.ts'
import { blockCost, stepCost } from '../costs.ts'
import { emitList, emitBlockEntry } from './emit-blocks.ts'
import { emitCatch, emitItems, isLabelled, setItemOf, iterationCost } from './emit-steps.ts'
import type { Emitter } from './emitter.ts'
import type { Fn } from '../ir.ts'
import type { Block, ForOf, If, Loop, St, Try } from '../ir-statements.ts'
import type { Action, EmitStep } from '../language.ts'
import { locateStep } from '../error-location.ts'
import { CursorItems } from '../../machine/iteration/cursors.ts'
import { emitResumableCursorLoop } from './emit-cursor-loops.ts'
import { iterationOf } from './emit-iterations.ts'

/** The progress of a statement is a small number in its own slot; `undefined` or 0 is the start. */
type Progress = number | undefined

/** The resumable form of a statement, or the native one if it cannot be suspended inside. */
export function emitResumable(st: St, emit: Emitter): Action {
  const make = emit.suspends(st) === 0 ? undefined : emit.unit.language.resumables.get(st.k)
  if (make === undefined) return emit.st(st)
  const action = make(st as never, emit)
  return emit.unit.tracing?.traced(st, action, emit) ?? action
}

/** The resumable form of a function body: prepares parameters on entry, then resumes its statements where they stopped. */
export function emitResumableBody(fn: Fn, prologue: Closure[], emit: Emitter): Action {
  const body = block(fn.body, emit)
  if (prologue.length === 0) return body
  return (frame) => {
    const activation = frame[1] as Activation
    if (!activation.isStarted) {
      activation.isStarted = true
      for (const action of prologue) action(frame)
    }
    return body(frame)
  }
}

function resumableList(statements: readonly St[], emit: Emitter): { actions: Action[]; sources: St[] } {
  const items = statements.filter((st) => st.k !== 'function')
  const sources: St[] = items.flatMap((st) =>
    emit.suspends(st) === 0 ? [st] : [...emit.unit.language.hoist(st, emit)],
  )
  emit.unit.tracing?.siblings(sources, stepCost)
  return { actions: sources.map((st) => emitResumable(st, emit)), sources }
}

export function block(st: Pick<Block, 'body' | 'entry'>, emit: Emitter): Action {
  const opening = emitBlockEntry(st, emit)
  const { actions, sources } = resumableList(st.body, emit)
  const place = emit.fn.ownSlot()
  return (frame) => {
    let i = (frame[place] as Progress) ?? 0
    if (i === 0) for (let j = 0; j < opening.length; j++) opening[j]!(frame)
    else if (i === FIRST) i = 0
    // A block left by an exit or error restarts from its beginning.
    frame[place] = 0
    try {
      for (; i < actions.length; i++) {
        const completion = actions[i]!(frame)
        if (completion === NEXT) continue
        if (completion === SUSPEND) frame[place] = i === 0 ? FIRST : i
        return completion
      }
    } catch (error) {
      locateStep(error, sources[i]!)
      throw error
    }
    return NEXT
  }
}

/** The block in the native or resumable form, as its statements need. */
export function blockOf(st: Block, emit: Emitter): Action {
  return emit.suspends(st) === 0 ? emitList(st, emit) : block(st, emit)
}

/** Inside the first statement, after block entry. */
const FIRST = -1

function branch(st: If, emit: Emitter): Action {
  const test = emit.ex(st.test)
  const then = blockOf(st.then, emit)
  const otherwise = st.otherwise === undefined ? undefined : blockOf(st.otherwise, emit)
  const thenCost = blockCost(st.then)
  const otherwiseCost = st.otherwise === undefined ? 0 : blockCost(st.otherwise)
  const place = emit.fn.ownSlot()
  return (frame) => {
    let taken = frame[place] as Progress
    if (!taken) {
      taken = test(frame) ? 1 : 2
      live.fuel -= taken === 1 ? thenCost : otherwiseCost
    }
    frame[place] = 0
    const completion = taken === 1 ? then(frame) : otherwise === undefined ? NEXT : otherwise(frame)
    if (completion === SUSPEND) frame[place] = taken
    return completion
  }
}

/** Suspends the activation to yield to the event loop. */
function yieldNow(frame: Frame): typeof SUSPEND {
  ;(frame[1] as Activation).why = WHY_YIELD
  return SUSPEND
}

/** `while` of JSON programs; scripts have their own loop. */
function loop(st: Loop, emit: Emitter): Action {
  const test: Closure = st.test === undefined ? () => true : emit.ex(st.test)
  const body = blockOf(st.body, emit)
  const cost = iterationCost(st)
  const place = emit.fn.ownSlot()
  return (frame) => {
    let inBody = frame[place] === 1
    frame[place] = 0
    for (;;) {
      if (!inBody) {
        if (!test(frame)) return NEXT
        if ((live.fuel -= cost) < 0) live.machine.refuel()
        if (live.overdue && live.machine.shouldYield()) {
          frame[place] = 1
          return yieldNow(frame)
        }
      }
      inBody = false
      const completion = body(frame)
      if (completion === NEXT || completion === CONTINUE) continue
      if (completion === BREAK) return NEXT
      if (completion === SUSPEND) frame[place] = 1
      return completion
    }
  }
}

export function forOf(st: ForOf, emit: Emitter): Action {
  const items = emitItems(st, emit)
  const own = st.variable!.isCaptured ? -1 : st.variable!.slot
  const turn = own < 0 ? undefined : iterationOf(st.body, emit)
  const body = turn ?? blockOf(st.body, emit)
  const set = setItemOf(st)
  const cost = 200 + blockCost(st.body)
  const list = emit.fn.ownSlot()
  const index = emit.fn.ownSlot()
  const place = emit.fn.ownSlot()
  const { labels } = st
  const throughCursor = emitResumableCursorLoop({ body, set, cost, labels }, place)
  return (frame) => {
    let progress = (frame[place] as Progress) ?? 0
    if (progress === 0) {
      frame[list] = items(frame)
      frame[index] = 0
    }
    frame[place] = 0
    const through = frame[list] as GuestArray
    if (through instanceof CursorItems) return throughCursor(frame, through, progress)
    const { items: all } = through
    const keyed = through instanceof LiveItems ? through : undefined
    // Kept in the frame only while suspended.
    let at = frame[index] as number
    if (turn !== undefined && progress === 0 && keyed === undefined)
      for (; at < all.length; at++) {
        if ((live.fuel -= cost) < 0) live.machine.refuel()
        if (live.overdue && live.machine.shouldYield()) {
          frame[place] = 1
          frame[index] = at
          return yieldNow(frame)
        }
        frame[own] = all[at]
        turn(frame)
      }
    for (; ; at++) {
      if (progress < 2) {
        if (at >= all.length && isAtEnd(through, at)) break
        // A deferred iteration has been charged already.
        if (progress === 0) {
          if ((live.fuel -= cost) < 0) live.machine.refuel()
          if (live.overdue && live.machine.shouldYield()) {
            frame[place] = 1
            frame[index] = at
            return yieldNow(frame)
          }
        }
        progress = 0
        if (keyed === undefined && own >= 0) frame[own] = all[at]
        else if (keyed === undefined) set(frame, all[at])
        else if (keyed.holds(all[at])) set(frame, keyed.itemFor(all[at]))
        else continue
      }
      progress = 0
      const completion = body(frame)
      if (completion === SUSPEND) {
        frame[place] = 2
        frame[index] = at
        return completion
      }
      if (completion === NEXT || completion === CONTINUE) continue
      if (completion === BREAK) break
      if (!isLabelled(completion, labels)) return completion
      if (completion.kind === 'break') break
    }
    frame[list] = undefined
    return NEXT
  }
}

const IN_BODY = 1
const IN_HANDLER = 2

/** Resumable `try` with `catch`; scripts wrap it for `finally`. */
export function tryResumable(st: Try, emit: Emitter): Action {
  const body = blockOf(st.block, emit)
  const handler = st.handler === undefined ? undefined : blockOf(st.handler, emit)
  const tell = emitCatch(st, emit)
  const place = emit.fn.ownSlot()
  const cost = blockCost(st.block)
  const guarded = (frame: Frame): unknown => {
    if (frame[place] === IN_HANDLER) return handler!(frame)
    const { depth } = live
    try {
      return body(frame)
    } catch (error) {
      const value = caught(error)
      if (handler === undefined) throw error
      live.depth = depth
      live.fuel -= blockCost(st.handler!)
      tell(frame, value)
      frame[place] = IN_HANDLER
      return handler(frame)
    }
  }
  return (frame) => {
    if (!frame[place]) {
      live.fuel -= cost
      frame[place] = IN_BODY
    }
    let outcome: unknown
    try {
      outcome = guarded(frame)
    } catch (error) {
      frame[place] = 0
      throw error
    }
    if (outcome !== SUSPEND) frame[place] = 0
    return outcome
  }
}

/** Resumable forms of the core statements. */
export const EMIT_RESUMABLES: readonly (readonly [string, EmitStep])[] = [
  ['block', block],
  ['if', branch],
  ['loop', loop],
  ['forof', forOf],
  ['try', tryResumable],
]
