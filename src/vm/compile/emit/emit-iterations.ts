import { NEXT } from '../../machine/activation.ts'
import { live } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import type { GuestArray } from '../../value/guest-array.ts'
import type { Frame } from '../../value/guest-function.ts'
import { pushItem } from '../../value/property.ts'
import { blockCost, exprCost } from '../costs.ts'
import { emitOperand, usesBaseOperators, operandOf } from './emit-binary.ts'
import type { Operand } from './emit-binary.ts'
import { plainSlot } from './emit-access.ts'
import type { Emitter } from './emitter.ts'
import type { Ex, Logical } from '../ir.ts'
import type { Block, St } from '../ir-statements.ts'
import type { Action } from '../language.ts'
import { locateStep } from '../error-location.ts'
import type { Variable } from '../lower/scope.ts'

/** A step that assigns an uncaptured local. */
interface Setting {
  readonly slot: number
  readonly value: Ex
}

function settingOf(st: St | undefined, emit: Emitter): Setting | undefined {
  if (st?.k !== 'expr' || st.value.k !== 'assign' || st.value.op !== '') return undefined
  const slot = plainSlot(st.value.target, emit)
  return slot < 0 ? undefined : { slot, value: st.value.value }
}

const KEEP = 0
const APPEND = 1
const SET = 2

/** How `map` and `reduce` store the result of an iteration, with a default if there is none. */
interface Ending {
  readonly kind: 0 | 1 | 2
  readonly target: number
  readonly other: Operand | undefined
  readonly cost: number
}

const NOTHING: Ending = { kind: KEEP, target: -1, other: undefined, cost: 0 }

function endingOf(st: St | undefined, result: number, emit: Emitter): Ending | undefined {
  if (st === undefined) return NOTHING
  const setting = settingOf(st, emit)
  const target = st.k === 'append' ? emit.slot(st.list) : (setting?.slot ?? -1)
  const value = st.k === 'append' ? st.value : setting?.value
  if (target < 0 || value?.k !== 'logical' || value.op !== '??' || emit.slot(value.left) !== result) return undefined
  const { right } = value satisfies Logical
  return {
    kind: st.k === 'append' ? APPEND : SET,
    target,
    other: emitOperand(right, emit),
    cost: exprCost(right),
  }
}

/** The iteration of `filter`: appends the item if the condition holds. */
function emitFilter(st: St, emit: Emitter): Action | undefined {
  if (st.k !== 'if' || st.otherwise !== undefined || st.op !== undefined) return undefined
  const [only, ...more] = st.then.body
  if (only?.k !== 'append' || more.length > 0 || (st.then.entry?.length ?? 0) > 0) return undefined
  const list = emit.slot(only.list)
  const item = emit.slot(only.value)
  if (list < 0 || item < 0) return undefined
  const test = emitOperand(st.test, emit)
  const cost = blockCost(st.then)
  return (frame) => {
    if (operandOf(test, frame)) {
      live.fuel -= cost
      pushItem(frame[list] as GuestArray, frame[item] as Guest)
    }
    return NEXT
  }
}

/** The loop body as one closure that always completes normally, if it has such a form. */
export function iterationOf({ body, entry = [] }: Block, emit: Emitter): Action | undefined {
  return isPlainEntry(entry, emit) ? emitIteration(body, emit, entry) : undefined
}

/** Whether block entry only sets variables to `undefined`. */
export function isPlainEntry(entry: readonly Variable[], emit: Emitter): boolean {
  if (!usesBaseOperators(emit) || entry.length > 2) return false
  return entry.every(({ kind, isCaptured, isChecked }) => kind === 'var' && !isCaptured && !isChecked)
}

/**
 * Specialised closure for the most frequent loop bodies of JSON programs: resets the variables `one` and `two`, then optionally
 * copies one, assigns one, and stores the result. `undefined` for other bodies.
 */
export function emitIteration(items: readonly St[], emit: Emitter, entry: readonly Variable[]): Action | undefined {
  const [one = -1, two = one] = entry.map(({ slot }) => slot)
  const [first] = items
  if (first === undefined || items.length > 3 || emit.unit.isTraced || !usesBaseOperators(emit)) return undefined
  if (items.length === 1 && one < 0 && first.k === 'if') return emitFilter(first, emit)
  const before = settingOf(first, emit)
  const from = before === undefined || items.length === 1 || first.op !== undefined ? -1 : emit.slot(before.value)
  const rest = from < 0 ? items : items.slice(1)
  const [step, last, ...more] = rest
  const setting = settingOf(step, emit)
  if (setting === undefined || more.length > 0) return undefined
  const ending = endingOf(last, setting.slot, emit)
  if (ending === undefined) return undefined
  const value = emitOperand(setting.value, emit)
  const { slot } = setting
  const { kind, target, other, cost } = ending
  const set = (frame: Frame): Guest => {
    try {
      return (frame[slot] = operandOf(value, frame))
    } catch (error) {
      locateStep(error, step!)
      throw error
    }
  }
  const instead = (frame: Frame): Guest => {
    live.fuel -= cost
    return operandOf(other!, frame)
  }
  // A variable assigned first need not be reset, unless the value reads it.
  const isReset =
    one < 0 || (one === two && one === slot && value.made === undefined && value.x !== slot && value.y !== slot)
  if (kind === APPEND && isReset && from < 0)
    return (frame) => {
      const made = set(frame)
      pushItem(frame[target] as GuestArray, made === null || made === undefined ? instead(frame) : made)
      return NEXT
    }
  const to = from < 0 ? -1 : before!.slot
  return (frame) => {
    if (!isReset) {
      frame[one] = undefined
      frame[two] = undefined
    }
    if (to >= 0) frame[to] = frame[from]
    let made = set(frame)
    if (kind === KEEP) return NEXT
    if (made === null || made === undefined) made = instead(frame)
    if (kind === SET) frame[target] = made
    else pushItem(frame[target] as GuestArray, made)
    return NEXT
  }
}
