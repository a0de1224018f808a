import { BREAK, CONTINUE, NEXT, SUSPEND, WHY_YIELD } from '../../machine/activation.ts'
import type { Activation } from '../../machine/activation.ts'
import { live } from '../../meter/live.ts'
import { toNumber } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import type { Closure, Frame } from '../../value/guest-function.ts'
import { atMostSlow, lessSlow } from '../../value/operators.ts'
import { emitList, emitBlockEntry, emitSimple } from '../emit/emit-blocks.ts'
import { iterationCost } from '../emit/emit-steps.ts'
import type { Emitter } from '../emit/emitter.ts'
import type { Ex } from '../ir.ts'
import type { Block, Loop } from '../ir-statements.ts'
import type { Action } from '../language.ts'
import { suspends } from '../suspends.ts'
import { formOf, operand } from './emit/emit-operators.ts'

/** An iteration was charged and deferred, to yield to the event loop. */
const RESUME_HERE = 5

interface Parts {
  readonly head: Action | undefined
  readonly body: (frame: Frame) => unknown
  /** The body is one simple statement: its completion is ignored. */
  readonly isPlain: boolean
  readonly cost: number
  /** The slot in which a resumable loop records a suspension; below 0 in the native form. */
  readonly place: number
}

/** Specialised `for` loop: its parts cannot suspend and its variables are not captured. `undefined` for other loops. */
export function emitTightLoop(st: Loop, emit: Emitter, place: number): Action | undefined {
  const { test, update, init, body } = st
  if (st.testsLast || st.labels.length > 0 || test === undefined || update === undefined) return undefined
  if ((st.fresh ?? []).some(({ kind }) => kind !== 'var') || emit.unit.isTraced) return undefined
  if (place >= 0 && [test, update, body, ...init].some((part) => suspends(part) > 0)) return undefined
  const head = init.length === 0 ? undefined : emitList({ entry: st.entry ?? [], body: init }, emit)
  const parts: Parts = { head, ...emitTurn(body, emit), cost: iterationCost(st), place }
  const counter = counterOf(test, update, emit)
  return counter === undefined ? runTesting(parts, emit.ex(test), emit.ex(update)) : runCounting(parts, counter)
}

function emitTurn(body: Block, emit: Emitter): Pick<Parts, 'body' | 'isPlain'> {
  const [only] = body.body
  const isPlain = body.body.length === 1 && (only?.k === 'expr' || only?.k === 'let')
  if (!isPlain || emitBlockEntry(body, emit).length > 0) return { body: emitList(body, emit), isPlain: false }
  return { body: emitSimple(only, emit), isPlain: true }
}

function suspendLoop(frame: Frame, place: number): typeof SUSPEND {
  frame[place] = RESUME_HERE
  ;(frame[1] as Activation).why = WHY_YIELD
  return SUSPEND
}

/** Starts the loop, or resumes the deferred iteration. */
function enter(frame: Frame, { head, place }: Parts): boolean {
  const isPutOff = place >= 0 && frame[place] === RESUME_HERE
  if (place >= 0) frame[place] = 0
  if (!isPutOff) head?.(frame)
  return isPutOff
}

function runTesting(parts: Parts, test: Closure, update: Closure): Action {
  const { body, isPlain, cost, place } = parts
  return (frame) => {
    let isPaid = enter(frame, parts)
    for (;;) {
      if (!isPaid) {
        if (!test(frame)) return NEXT
        if ((live.fuel -= cost) < 0) live.machine.refuel()
        if (live.overdue && place >= 0 && live.machine.shouldYield()) return suspendLoop(frame, place)
      }
      isPaid = false
      const completion = body(frame)
      if (!isPlain && completion !== NEXT && completion !== CONTINUE) return completion === BREAK ? NEXT : completion
      update(frame)
    }
  }
}

/** A counting loop: `i < end; i++`. */
interface Counter {
  readonly slot: number
  readonly by: number
  readonly isInclusive: boolean
  /** The end is in a slot, computed by a closure, or constant. */
  readonly endSlot: number
  readonly endOf: Closure | undefined
  readonly end: Guest
}

function counterOf(test: Ex, update: Ex, emit: Emitter): Counter | undefined {
  if (test.k !== 'binary' || (test.op !== '<' && test.op !== '<=')) return undefined
  const slot = emit.slot(test.left)
  const by = stepOf(update, slot, emit)
  if (slot < 0 || by === undefined) return undefined
  const form = formOf(test.right, emit)
  const right = operand(test.right, form, emit)
  return {
    slot,
    by,
    isInclusive: test.op === '<=',
    endSlot: form === 'L' ? (right as number) : -1,
    endOf: form === 'E' ? (right as Closure) : undefined,
    end: form === 'K' ? (right as Guest) : undefined,
  }
}

/** The increment of the loop variable, if the update does nothing else. */
function stepOf(update: Ex, slot: number, emit: Emitter): number | undefined {
  if (update.k !== 'update' || emit.slot(update.target) !== slot) return undefined
  const { target } = update
  if (target.k === 'var' && target.ref?.to === 'local' && target.ref.variable.isConst) return undefined
  return update.by
}

function runCounting(parts: Parts, { slot, by, isInclusive, endSlot, endOf, end }: Counter): Action {
  const { body, isPlain, cost, place } = parts
  return (frame) => {
    let isPaid = enter(frame, parts)
    for (;;) {
      if (!isPaid) {
        const at = frame[slot] as Guest
        const last = endSlot >= 0 ? (frame[endSlot] as Guest) : endOf === undefined ? end : endOf(frame)
        if (typeof at === 'number' && typeof last === 'number') {
          if (isInclusive ? !(at <= last) : !(at < last)) return NEXT
        } else if (!(isInclusive ? atMostSlow(at, last) : lessSlow(at, last))) return NEXT
        if ((live.fuel -= cost) < 0) live.machine.refuel()
        if (live.overdue && place >= 0 && live.machine.shouldYield()) return suspendLoop(frame, place)
      }
      isPaid = false
      const completion = body(frame)
      if (!isPlain && completion !== NEXT && completion !== CONTINUE) return completion === BREAK ? NEXT : completion
      const before = frame[slot] as Guest
      frame[slot] = (typeof before === 'number' ? before : toNumber(before)) + by
    }
  }
}
