import type { Emitter } from '../../compile/emit/emitter.ts'
import type { Chain, Conditional, BranchTest, Ex, Logical, IteratedItems } from '../../compile/ir.ts'
import type { Block, ForOf, If, Labeled, Loop, LabelAction, St, Switch, Try } from '../../compile/ir-statements.ts'
import type { Action, EmitExpr, EmitStep } from '../../compile/language.ts'
import { exprCost } from '../../compile/costs.ts'
import { SUSPEND } from '../../machine/activation.ts'
import { IN_TRY, live } from '../../meter/live.ts'
import { GuestMap, GuestSet } from '../../value/collections.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import type { Box, Closure, Frame } from '../../value/guest-function.ts'
import type { CollectionIterator } from '../../machine/iteration/collection-iterator.ts'
import { CursorItems } from '../../machine/iteration/cursors.ts'
import { iterate, viewOf } from '../../machine/iteration/iterate.ts'
import { isCall } from '../../compile/emit/emit-steps.ts'
import { LABEL_BITS, CHOSEN } from '../bits.ts'
import { effectsIn } from './effect-analysis.ts'
import type { Effects } from './effect-set.ts'
import { totalLabel, isHolder, partLabel, structureLabel } from '../heap.ts'
import { noteMayThrow, labelWriter } from './variables.ts'
import { isPure, noteFillIfAbsent } from './node-facts.ts'
import { hasExit, unlabelledIn } from '../unlabelled-variables.ts'
import { raiseEffects } from '../raise-effects.ts'
import { inDecidingChain } from '../reads.ts'
import { labelSlot } from '../slots.ts'

/** A branch test: its label joins the program counter label. */
export function decide({ test: node }: BranchTest, emit: Emitter): Closure {
  const test = emit.ex(node)
  return (frame) => {
    live.label = 0
    const value = test(frame)
    if (live.label !== 0) live.pc |= live.label | CHOSEN
    return value
  }
}

function deciding(test: Ex, emit: Emitter): Ex {
  return unlabelledIn(emit).isUnlabelled(test) ? test : { k: 'decide', test }
}

/** The data needed where control flow joins again at the end of a region. */
interface RegionEnd {
  readonly effects: Effects
  readonly emit: Emitter
}

/** Ends a region: raises everything it may have written, then restores the program counter label, unless the region can be left early. */
export function endRegion({ effects, emit }: RegionEnd, frame: Frame, saved: number): void {
  const now = live.pc
  if ((now & LABEL_BITS) !== (saved & LABEL_BITS)) raiseEffects(effects, emit.unit, frame, now & LABEL_BITS)
  const stays = effects.escapes || (saved & IN_TRY) !== 0
  live.pc = stays ? (now & LABEL_BITS) | (saved & IN_TRY) : saved
}

function runRegion(run: Action, meeting: RegionEnd, guarded: number): Action {
  return (frame) => {
    const saved = live.pc
    live.pc |= guarded
    const completion = run(frame)
    if (live.pc !== saved) endRegion(meeting, frame, saved)
    return completion
  }
}

/** The same for a resumable statement: the outer program counter label is kept in the frame while it is suspended. */
function runResumableRegion(run: Action, meeting: RegionEnd, guarded: number): Action {
  const place = meeting.emit.fn.ownSlot()
  return (frame) => {
    const kept = frame[place] as number | undefined
    const saved = kept ?? live.pc
    if (kept === undefined) live.pc |= guarded
    frame[place] = undefined
    const completion = run(frame)
    if (completion === SUSPEND) frame[place] = saved
    else if (live.pc !== saved) endRegion(meeting, frame, saved)
    return completion
  }
}

type Wrap = typeof runRegion

/** Rewrites a branching statement so that its tests raise the program counter label; the result is compiled by the emitters without labels. */
type Rewrite = (st: never, emit: Emitter) => St | undefined

const region = (rewrite: Rewrite, base: EmitStep, wrap: Wrap): EmitStep =>
  function labelled(st: never, emit: Emitter): Action {
    const rewritten = rewrite(st, emit)
    if (rewritten === undefined) return base(st, emit)
    const run = withLoopEnd(rewritten, base(rewritten as never, emit))
    const meeting = { effects: effectsIn([st], emit), emit }
    return wrap(run, meeting, (st as St).k === 'try' ? IN_TRY : 0)
  }

/** The structure of a list decides that a loop over it ends. */
function withLoopEnd(st: St, run: Action): Action {
  if (st.k !== 'forof' || st.items.k !== 'iterated') return run
  const [listAt] = st.items.slots
  return (frame) => {
    const completion = run(frame)
    const list = completion === SUSPEND ? undefined : (frame[listAt] as Guest)
    if (list instanceof CursorItems) {
      if (list.cursor.stepLabel !== 0) live.pc |= list.cursor.stepLabel | CHOSEN
      return completion
    }
    if (isHolder(list)) {
      const whole = structureLabel(list) | live.heapFloor
      if (whole !== 0) live.pc |= whole | CHOSEN
    }
    return completion
  }
}

const mark = (act: (frame: Frame) => void): LabelAction => ({ k: 'mark', act })

function branch(st: If, emit: Emitter): St | undefined {
  noteFillIfAbsent(st)
  const test = deciding(st.test, emit)
  return test === st.test ? undefined : { ...st, test }
}

function loop(st: Loop, emit: Emitter): St | undefined {
  const test = st.test === undefined ? undefined : deciding(st.test, emit)
  if (test === st.test && !hasExit(st.body)) return undefined
  return { ...st, test }
}

function switchOf(st: Switch, emit: Emitter): St {
  const cases = st.cases.map((one) => (one.test === undefined ? one : { ...one, test: deciding(one.test, emit) }))
  return { ...st, value: deciding(st.value, emit), cases }
}

const labeled = (st: Labeled): St => st

/** `for … of`: each iteration labels the item and raises the program counter label by the structure of the list. */
function forOf(st: ForOf, emit: Emitter): St {
  const slots = [emit.fn.ownSlot(), emit.fn.ownSlot(), emit.fn.ownSlot()] as const
  const variable = st.variable!
  const store = itemStore(st, emit)
  const [listAt, bitsAt, turnAt] = slots
  const turn = mark((frame) => {
    const list = frame[listAt] as Guest
    const bits = frame[bitsAt] as number
    const at = frame[turnAt] as number
    frame[turnAt] = at + 1
    if (st.isAwait === true) return store(frame, bits | live.label)
    if (list instanceof CursorItems) {
      const step = bits | list.cursor.stepLabel
      if (step !== 0) live.pc |= step | CHOSEN
      return store(frame, bits | live.label)
    }
    if (!isHolder(list)) return store(frame, bits)
    const whole = bits | structureLabel(list) | live.heapFloor
    if (whole !== 0) live.pc |= whole | CHOSEN
    store(frame, bits | live.heapFloor | (st.ofKeys ? structureLabel(list) : partLabel(list, at)))
  })
  const body: Block = { ...st.body, body: [turn, ...st.body.body] }
  return {
    ...st,
    variable,
    items: { k: 'iterated', items: st.items, slots, ofKeys: st.ofKeys, isAwait: st.isAwait },
    body,
  }
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

export function iteratedItems({ items: node, slots, ofKeys, isAwait }: IteratedItems, emit: Emitter): Closure {
  const [listAt, bitsAt, turnAt] = slots
  const items = emit.ex(node)
  const isFresh = isCall(node)
  const openCursor = (value: Guest, frame: Frame): Guest => {
    const bits = live.label
    if (bits !== 0) live.pc |= bits | CHOSEN
    if (isHolder(value)) live.label |= structureLabel(value) | live.heapFloor
    const through = iterate(value, false, false)
    frame[listAt] = through
    frame[bitsAt] = bits
    frame[turnAt] = 0
    return through
  }
  return (frame) => {
    live.label = 0
    const value = items(frame)
    if (!ofKeys && live.label !== 0) live.machine.flow!.noteIteration(live.label)
    if (isAwait === true) {
      const all = isHolder(value) ? live.label | totalLabel(value) | live.heapFloor : live.label
      if (all !== 0) live.pc |= all | CHOSEN
      frame[listAt] = undefined
      frame[bitsAt] = all
      frame[turnAt] = 0
      return value
    }
    // A loop over an iterator without other references visits its source.
    const view = isFresh ? viewOf(value) : undefined
    if (view === undefined && !ofKeys && isForCursor(value)) return openCursor(value, frame)
    const from = view === undefined ? value : (value as CollectionIterator).source
    let bits = view === undefined ? live.label : live.label | totalLabel(value as CollectionIterator)
    // The iteration order of maps and sets reveals their contents.
    const isList = typeof from === 'object' && from !== null && 'items' in from
    if (isHolder(from) && !isList) bits |= totalLabel(from)
    frame[listAt] = isList || isHolder(from) ? from : undefined
    frame[bitsAt] = bits
    frame[turnAt] = 0
    const whole = isHolder(from) ? bits | structureLabel(from) | live.heapFloor : bits
    if (whole !== 0) live.pc |= whole | CHOSEN
    return value
  }
}

/** Whether a loop iterates over a value by its iterator. */
function isForCursor(value: Guest): boolean {
  if (value instanceof GuestArray || value instanceof GuestMap || value instanceof GuestSet) return false
  return typeof value === 'object' && value !== null
}

/** `try`: the label of what was thrown joins the program counter label of the handler. */
function tryCatch(st: Try, emit: Emitter): St {
  const stores = [st.param, st.opParam].map((param) => (param === undefined ? undefined : labelWriter(param, emit)))
  const caught = mark((frame) => {
    if (live.label !== 0) live.pc |= live.label | CHOSEN
    for (const store of stores) store?.(frame, live.pc & LABEL_BITS)
  })
  const over = mark(() => {
    live.label = 0
  })
  const final = mark(() => {
    if (live.label !== 0) live.pc |= live.label | CHOSEN
  })
  return {
    ...st,
    block: { ...st.block, body: [...st.block.body, over] },
    handler: st.handler && { ...st.handler, body: [caught, ...st.handler.body, over] },
    finalizer: st.finalizer && { ...st.finalizer, body: [final, ...st.finalizer.body] },
  }
}

type RegionKind = 'if' | 'loop' | 'switch' | 'labeled' | 'forof' | 'try'

const REWRITES: Readonly<Record<RegionKind, Rewrite>> = {
  if: branch,
  loop,
  switch: switchOf,
  labeled: labeled,
  forof: forOf,
  try: tryCatch,
}

/** The label rule of a statement that branches. */
export function regionOf(kind: RegionKind): (base: EmitStep, isResumable: boolean) => EmitStep {
  return (base, isResumable) => region(REWRITES[kind], base, isResumable ? runResumableRegion : runRegion)
}

/** The label rule of an expression that evaluates only some of its parts. */
function choiceOf(
  base: EmitExpr,
  rewrite: (node: never, emit: Emitter) => Ex,
  partsOf: (node: never) => readonly Ex[],
): EmitExpr {
  return function labelled(node: never, emit: Emitter): Closure {
    if (unlabelledIn(emit).isUnlabelled(node)) return base(node, emit)
    if (partsOf(node).every(isPure)) {
      const run = base(node, emit)
      return (frame) => {
        const value = run(frame)
        if (live.label !== 0) live.label |= CHOSEN
        return value
      }
    }
    if ((node as Ex).k === 'conditional') return emitConditional(node, emit)
    const run = base(rewrite(node, emit) as never, emit)
    const meeting = { effects: effectsIn([node], emit), emit }
    return (frame) => {
      const outer = live.label
      if (outer !== 0) noteMayThrow()
      const saved = live.pc
      live.label = 0
      const value = run(frame)
      if (live.pc !== saved) {
        live.label |= live.pc & LABEL_BITS
        endRegion(meeting, frame, saved)
      }
      live.label |= outer
      return value
    }
  }
}

/** `test ? then : otherwise`, with a fast path for an unlabelled test. */
function emitConditional(node: Conditional, emit: Emitter): Closure {
  const test = emit.ex(node.test)
  const then = emit.ex(node.then)
  const otherwise = emit.ex(node.otherwise)
  const thenCost = exprCost(node.then)
  const otherwiseCost = exprCost(node.otherwise)
  const meeting = { effects: effectsIn([node], emit), emit }
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = 0
    const isThen = test(frame)
    const bits = live.label
    live.fuel -= isThen ? thenCost : otherwiseCost
    if (bits === 0) {
      live.label = outer
      return isThen ? then(frame) : otherwise(frame)
    }
    const saved = live.pc
    live.pc |= bits | CHOSEN
    const value = isThen ? then(frame) : otherwise(frame)
    live.label |= outer | bits | CHOSEN
    if (live.pc !== saved) {
      live.label |= live.pc & LABEL_BITS
      endRegion(meeting, frame, saved)
    }
    return value
  }
}

export function conditional(base: EmitExpr): EmitExpr {
  return choiceOf(
    base,
    (node: Conditional, emit) => ({ ...node, test: deciding(node.test, emit) }),
    (node: Conditional) => [node.then, node.otherwise],
  )
}

export function logical(base: EmitExpr): EmitExpr {
  return choiceOf(
    base,
    (node: Logical, emit) => ({ ...node, left: deciding(node.left, emit) }),
    (node: Logical) => [node.right],
  )
}

export function chain(base: EmitExpr): EmitExpr {
  const compile = (node: Chain, emit: Emitter): Closure =>
    inDecidingChain(!isPure(node.expression), () => base(node as never, emit))
  return choiceOf(
    compile,
    (node) => node,
    (node: Chain) => [node.expression],
  )
}
