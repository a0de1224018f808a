import type { Emitter } from '../../compile/emit/emitter.ts'
import type {
  Block,
  Chain,
  Conditional,
  Decide,
  Ex,
  ForOf,
  If,
  Labeled,
  Logical,
  Loop,
  Mark,
  St,
  Switch,
  Through,
  Try,
} from '../../compile/ir.ts'
import type { Action, EmitExpr, EmitStep } from '../../compile/language.ts'
import { exprCost } from '../../compile/costs.ts'
import { SUSPEND } from '../../machine/activation.ts'
import { GUARDED, live } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import type { Box, Closure, Frame } from '../../value/guest-function.ts'
import { ListIterator } from '../../value/list-iterator.ts'
import { BITS, CHOSEN } from '../bits.ts'
import { effectsIn } from './effects.ts'
import type { Effects } from './effect-set.ts'
import { allOf, isHolder, partOf, wholeOf } from '../heap.ts'
import { guard, labelStore } from './leaves.ts'
import { isPure, noteFilling } from './nodes.ts'
import { hasExit, plainOf } from '../plain.ts'
import { raiseEffects } from '../raised-labels.ts'
import { inDecidingChain } from '../reads.ts'
import { labelSlot } from '../slots.ts'

/** Labels of a test lead in all that it decides. */
export function decide({ test: node }: Decide, emit: Emitter): Closure {
  const test = emit.ex(node)
  return (frame) => {
    live.lab = 0
    const value = test(frame)
    if (live.lab !== 0) live.pc |= live.lab | CHOSEN
    return value
  }
}

function decided(test: Ex, emit: Emitter): Ex {
  return plainOf(emit).isPlain(test) ? test : { k: 'decide', test }
}

/** What ends where several ways meet again. */
export interface Meeting {
  readonly effects: Effects
  readonly emit: Emitter
}

/** All that could have been set carries what led to it; afterwards it leads no more, unless a way out of the region was among the ways. */
export function meet({ effects, emit }: Meeting, frame: Frame, saved: number): void {
  const now = live.pc
  if ((now & BITS) !== (saved & BITS)) raiseEffects(effects, emit.unit, frame, now & BITS)
  const stays = effects.escapes || (saved & GUARDED) !== 0
  live.pc = stays ? (now & BITS) | (saved & GUARDED) : saved
}

function through(run: Action, meeting: Meeting, guarded: number): Action {
  return (frame) => {
    const saved = live.pc
    live.pc |= guarded
    const completion = run(frame)
    if (live.pc !== saved) meet(meeting, frame, saved)
    return completion
  }
}

/** The same for a statement that can be put aside: what led before it began is kept in the frame. */
function aside(run: Action, meeting: Meeting, guarded: number): Action {
  const place = meeting.emit.fn.ownSlot()
  return (frame) => {
    const kept = frame[place] as number | undefined
    const saved = kept ?? live.pc
    if (kept === undefined) live.pc |= guarded
    frame[place] = undefined
    const completion = run(frame)
    if (completion === SUSPEND) frame[place] = saved
    else if (live.pc !== saved) meet(meeting, frame, saved)
    return completion
  }
}

type Wrap = typeof through

/** A statement whose tests lead: it is compiled as if labels were off, from a tree in which they say so. */
type Rewrite = (st: never, emit: Emitter) => St | undefined

const region = (rewrite: Rewrite, base: EmitStep, wrap: Wrap): EmitStep =>
  function labelled(st: never, emit: Emitter): Action {
    const rewritten = rewrite(st, emit)
    if (rewritten === undefined) return base(st, emit)
    const run = ending(rewritten, base(rewritten as never, emit))
    const meeting = { effects: effectsIn([st], emit), emit }
    return wrap(run, meeting, (st as St).k === 'try' ? GUARDED : 0)
  }

/** That a loop over a list had no further turn is said by the list as well. */
function ending(st: St, run: Action): Action {
  if (st.k !== 'forof' || st.items.k !== 'through') return run
  const [listAt] = st.items.slots
  return (frame) => {
    const completion = run(frame)
    const list = completion === SUSPEND ? undefined : (frame[listAt] as Guest)
    if (isHolder(list)) {
      const whole = wholeOf(list) | live.floor
      if (whole !== 0) live.pc |= whole | CHOSEN
    }
    return completion
  }
}

const mark = (act: (frame: Frame) => void): Mark => ({ k: 'mark', act })

function branch(st: If, emit: Emitter): St | undefined {
  noteFilling(st)
  const test = decided(st.test, emit)
  return test === st.test ? undefined : { ...st, test }
}

function loop(st: Loop, emit: Emitter): St | undefined {
  const test = st.test === undefined ? undefined : decided(st.test, emit)
  if (test === st.test && !hasExit(st.body)) return undefined
  return { ...st, test }
}

function choice(st: Switch, emit: Emitter): St {
  const cases = st.cases.map((one) => (one.test === undefined ? one : { ...one, test: decided(one.test, emit) }))
  return { ...st, value: decided(st.value, emit), cases }
}

const named = (st: Labeled): St => st

/** Each turn, the item gets its labels, and what decides whether there is one leads. */
function each(st: ForOf, emit: Emitter): St {
  const slots = [emit.fn.ownSlot(), emit.fn.ownSlot(), emit.fn.ownSlot()] as const
  const variable = st.variable!
  const store = itemStore(st, emit)
  const [listAt, bitsAt, turnAt] = slots
  const turn = mark((frame) => {
    const list = frame[listAt] as Guest
    const bits = frame[bitsAt] as number
    const at = frame[turnAt] as number
    frame[turnAt] = at + 1
    if (!isHolder(list)) return store(frame, bits)
    const whole = bits | wholeOf(list) | live.floor
    if (whole !== 0) live.pc |= whole | CHOSEN
    store(frame, bits | live.floor | (st.ofKeys ? wholeOf(list) : partOf(list, at)))
  })
  const body: Block = { ...st.body, body: [turn, ...st.body.body] }
  return { ...st, variable, items: { k: 'through', items: st.items, slots, ofKeys: st.ofKeys }, body }
}

function itemStore(st: ForOf, emit: Emitter): (frame: Frame, bits: number) => void {
  const { slot, isCaptured } = st.variable!
  const at = labelSlot(emit.fn, slot)
  if (!isCaptured)
    return (frame, bits) => {
      frame[at] = bits
    }
  return (frame, bits) => {
    ;(frame[slot] as Box).label |= bits
  }
}

export function throughItems({ items: node, slots: [listAt, bitsAt, turnAt] }: Through, emit: Emitter): Closure {
  const items = emit.ex(node)
  return (frame) => {
    live.lab = 0
    const value = items(frame)
    // Loops go through what an iterator was made of.
    const from = value instanceof ListIterator && value.source !== null ? value.source : value
    let bits = from === value ? live.lab : live.lab | allOf(value as ListIterator)
    // Maps and sets show what they hold in an order of their own.
    const isList = typeof from === 'object' && from !== null && 'items' in from
    if (isHolder(from) && !isList) bits |= allOf(from)
    frame[listAt] = isList || isHolder(from) ? from : undefined
    frame[bitsAt] = bits
    frame[turnAt] = 0
    const whole = isHolder(from) ? bits | wholeOf(from) | live.floor : bits
    if (whole !== 0) live.pc |= whole | CHOSEN
    return value
  }
}

/** What is thrown because of labelled things leads in what handles it. */
function attempt(st: Try, emit: Emitter): St {
  const stores = [st.param, st.opParam].map((param) => (param === undefined ? undefined : labelStore(param, emit)))
  const caught = mark((frame) => {
    if (live.lab !== 0) live.pc |= live.lab | CHOSEN
    for (const store of stores) store?.(frame, live.pc & BITS)
  })
  const over = mark(() => {
    live.lab = 0
  })
  const final = mark(() => {
    if (live.lab !== 0) live.pc |= live.lab | CHOSEN
  })
  return {
    ...st,
    block: { ...st.block, body: [...st.block.body, over] },
    handler: st.handler && { ...st.handler, body: [caught, ...st.handler.body, over] },
    finalizer: st.finalizer && { ...st.finalizer, body: [final, ...st.finalizer.body] },
  }
}

type Region = 'if' | 'loop' | 'switch' | 'labeled' | 'forof' | 'try'

const REWRITES: Readonly<Record<Region, Rewrite>> = {
  if: branch,
  loop,
  switch: choice,
  labeled: named,
  forof: each,
  try: attempt,
}

/** A statement whose tests, items or failures lead in what it decides. */
export function regionOf(kind: Region): (base: EmitStep, canBePutAside: boolean) => EmitStep {
  return (base, canBePutAside) => region(REWRITES[kind], base, canBePutAside ? aside : through)
}

/** An expression that decides which of its parts are computed. */
function choosing(
  base: EmitExpr,
  rewrite: (node: never, emit: Emitter) => Ex,
  partsOf: (node: never) => readonly Ex[],
): EmitExpr {
  return function labelled(node: never, emit: Emitter): Closure {
    if (plainOf(emit).isPlain(node)) return base(node, emit)
    if (partsOf(node).every(isPure)) {
      const run = base(node, emit)
      return (frame) => {
        const value = run(frame)
        if (live.lab !== 0) live.lab |= CHOSEN
        return value
      }
    }
    if ((node as Ex).k === 'conditional') return chooseBetween(node, emit)
    const run = base(rewrite(node, emit) as never, emit)
    const meeting = { effects: effectsIn([node], emit), emit }
    return (frame) => {
      const outer = live.lab
      if (outer !== 0) guard()
      const saved = live.pc
      live.lab = 0
      const value = run(frame)
      if (live.pc !== saved) {
        live.lab |= live.pc & BITS
        meet(meeting, frame, saved)
      }
      live.lab |= outer
      return value
    }
  }
}

/** `test ? then : otherwise`: while the test is clean nothing has to be kept. */
function chooseBetween(node: Conditional, emit: Emitter): Closure {
  const test = emit.ex(node.test)
  const then = emit.ex(node.then)
  const otherwise = emit.ex(node.otherwise)
  const thenCost = exprCost(node.then)
  const otherwiseCost = exprCost(node.otherwise)
  const meeting = { effects: effectsIn([node], emit), emit }
  return (frame) => {
    const outer = live.lab
    if (outer !== 0) guard()
    live.lab = 0
    const isThen = test(frame)
    const bits = live.lab
    live.fuel -= isThen ? thenCost : otherwiseCost
    if (bits === 0) {
      live.lab = outer
      return isThen ? then(frame) : otherwise(frame)
    }
    const saved = live.pc
    live.pc |= bits | CHOSEN
    const value = isThen ? then(frame) : otherwise(frame)
    live.lab |= outer | bits | CHOSEN
    if (live.pc !== saved) {
      live.lab |= live.pc & BITS
      meet(meeting, frame, saved)
    }
    return value
  }
}

export function conditional(base: EmitExpr): EmitExpr {
  return choosing(
    base,
    (node: Conditional, emit) => ({ ...node, test: decided(node.test, emit) }),
    (node: Conditional) => [node.then, node.otherwise],
  )
}

export function logical(base: EmitExpr): EmitExpr {
  return choosing(
    base,
    (node: Logical, emit) => ({ ...node, left: decided(node.left, emit) }),
    (node: Logical) => [node.right],
  )
}

export function chain(base: EmitExpr): EmitExpr {
  const compile = (node: Chain, emit: Emitter): Closure =>
    inDecidingChain(!isPure(node.expression), () => base(node as never, emit))
  return choosing(
    compile,
    (node) => node,
    (node: Chain) => [node.expression],
  )
}
