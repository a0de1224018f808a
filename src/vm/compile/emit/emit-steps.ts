import { iterate } from '../../machine/iteration/iterate.ts'
import { BREAK, CONTINUE, NEXT } from '../../machine/activation.ts'
import { caught } from '../../machine/caught.ts'
import { charge, live } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import type { GuestArray } from '../../value/guest-array.ts'
import { Box } from '../../value/guest-function.ts'
import type { Frame } from '../../value/guest-function.ts'
import { GuestError } from '../../value/guest-object.ts'
import { pushItem } from '../../value/property.ts'
import { toText } from '../../value/convert.ts'
import { carry, newError } from '../../value/thrown.ts'
import { blockCost, exprCost } from '../costs.ts'
import { plainSlot } from './emit-access.ts'
import { setLocal } from './emit-binary.ts'
import { emitList, emitSimple } from './emit-blocks.ts'
import type { Emitter } from './emitter.ts'
import type { Ex } from '../ir.ts'
import type {
  Append,
  Block,
  ConstSet,
  Exit,
  ExprSt,
  ForOf,
  LetSt,
  If,
  Loop,
  Return,
  Throw,
  Try,
} from '../ir-statements.ts'
import type { Action, EmitStep, Write } from '../language.ts'
import { locate } from '../error-location.ts'

function expr(st: ExprSt | LetSt, emit: Emitter): Action {
  const set = st.k === 'expr' && st.value.k === 'assign' && st.value.op === '' ? st.value : undefined
  const local = set === undefined ? -1 : plainSlot(set.target, emit)
  if (set !== undefined && local >= 0) return setLocal(local, set.value, emit)
  const value = emitSimple(st, emit)
  return (frame) => {
    value(frame)
    return NEXT
  }
}

function block(st: Block, emit: Emitter): Action {
  return emitList(st, emit)
}

function branch(st: If, emit: Emitter): Action {
  const test = emit.ex(st.test)
  const then = emitList(st.then, emit)
  const thenCost = blockCost(st.then)
  if (st.otherwise === undefined)
    return (frame) => {
      if (!test(frame)) return NEXT
      live.fuel -= thenCost
      return then(frame)
    }
  const otherwise = emitList(st.otherwise, emit)
  const otherwiseCost = blockCost(st.otherwise)
  return (frame) => {
    if (test(frame)) {
      live.fuel -= thenCost
      return then(frame)
    }
    live.fuel -= otherwiseCost
    return otherwise(frame)
  }
}

/** Units of one loop iteration. */
export function iterationCost(st: Loop): number {
  return 100 + exprCost(st.test) + exprCost(st.update) + blockCost(st.body)
}

/** Assigns the next item to the loop variable; each iteration has its own box. */
export function setItemOf(st: ForOf): (frame: Frame, value: Guest) => void {
  const { slot, isCaptured } = st.variable!
  if (!isCaptured)
    return (frame, value) => {
      frame[slot] = value
    }
  if (st.kind === 'var')
    return (frame, value) => {
      ;(frame[slot] as Box).value = value
    }
  return (frame, value) => {
    charge(32)
    frame[slot] = new Box(value)
  }
}

/** The iterated list: a list itself, or a view of the items of another value. */
export function emitItems(st: ForOf, emit: Emitter): (frame: Frame) => GuestArray {
  const items = emit.ex(st.items)
  const { at, ofKeys } = st
  const isFresh = isCall(st.items)
  return (frame) => {
    try {
      return iterate(items(frame), ofKeys, isFresh)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** Whether only the loop refers to the value, because it is the result of a method. */
export function isCall(node: Ex): boolean {
  return node.k === 'method' || (node.k === 'iterated' && isCall(node.items))
}

export function isLabelled(completion: unknown, labels: readonly string[]): completion is LabelledExit {
  return completion instanceof LabelledExit && labels.includes(completion.label)
}

/** A `break` or `continue` to a label; compared by loops with that label. */
class LabelledExit {
  readonly kind: 'break' | 'continue'
  readonly label: string
  constructor(kind: 'break' | 'continue', label: string) {
    this.kind = kind
    this.label = label
  }
}

function exit(st: Exit): Action {
  const completion =
    st.label === undefined ? (st.kind === 'break' ? BREAK : CONTINUE) : new LabelledExit(st.kind, st.label)
  return () => completion
}

function returnValue(st: Return, emit: Emitter): Action {
  return st.value === undefined ? () => undefined : emit.ex(st.value)
}

function throwValue(st: Throw, emit: Emitter): Action {
  const value = emit.ex(st.value)
  const { at } = st
  const { isScript } = emit.unit.language
  return (frame) => {
    const made = value(frame)
    throw locate(carry(isScript || made instanceof GuestError ? made : newError('Error', toText(made))), at)
  }
}

/** Passes the exception to a handler: in a script the value, in a JSON program its message and the failed step. */
export function emitCatch(st: Try, emit: Emitter): (frame: Frame, value: Guest) => void {
  const { isScript, writeRef } = emit.unit.language
  const set = st.param === undefined ? undefined : catchParam(st, emit)
  const setOp = st.opParam === undefined ? undefined : writeRef(st.opParam)
  return (frame, value) => {
    set?.(frame, isScript ? value : value instanceof GuestError ? value.message : toText(value))
    setOp?.(frame, value instanceof GuestError ? value.op : undefined)
  }
}

function catchParam(st: Try, emit: Emitter): Write {
  const { isScript, writeRef } = emit.unit.language
  const { ref } = st.param!
  if (isScript && ref?.to === 'local' && ref.variable.isCaptured) {
    const { slot } = ref.variable
    return (frame, value) => {
      charge(32)
      frame[slot] = new Box(value)
    }
  }
  return writeRef(st.param!)
}

/** `try` with `catch`; scripts wrap it for `finally`. */
export function emitTry(st: Try, emit: Emitter): Action {
  const body = emitList(st.block, emit)
  const handler = st.handler === undefined ? undefined : emitList(st.handler, emit)
  const tell = emitCatch(st, emit)
  const cost = blockCost(st.block)
  const handlerCost = st.handler === undefined ? 0 : blockCost(st.handler)
  return (frame) => {
    live.fuel -= cost
    if (handler === undefined) return body(frame)
    const { depth } = live
    try {
      return body(frame)
    } catch (error) {
      const value = caught(error)
      live.depth = depth
      live.fuel -= handlerCost
      tell(frame, value)
      return handler(frame)
    }
  }
}

function append(st: Append, emit: Emitter): Action {
  const list = emit.ex(st.list)
  const value = emit.ex(st.value)
  const local = emit.slot(st.list)
  const item = emit.slot(st.value)
  if (local >= 0 && item >= 0)
    return (frame) => {
      pushItem(frame[local] as GuestArray, frame[item] as Guest)
      return NEXT
    }
  if (local >= 0)
    return (frame) => {
      pushItem(frame[local] as GuestArray, value(frame))
      return NEXT
    }
  return (frame) => {
    pushItem(list(frame) as GuestArray, value(frame))
    return NEXT
  }
}

function constSet(st: ConstSet, emit: Emitter): Action {
  const write = emit.unit.language.writeRef(st.target)
  const value = emit.ex(st.value)
  return (frame) => {
    write(frame, value(frame))
    return NEXT
  }
}

/** Native forms of the core statements. */
export const EMIT_STEPS: readonly (readonly [string, EmitStep])[] = [
  ['expr', expr],
  ['let', expr],
  ['block', block],
  ['if', branch],
  ['exit', exit],
  ['return', returnValue],
  ['throw', throwValue],
  ['try', emitTry],
  ['append', append],
  ['constset', constSet],
]
