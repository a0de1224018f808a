import { NEXT, SUSPEND, WHY_AWAIT } from '../machine/activation.ts'
import type { Activation } from '../machine/activation.ts'
import { atomCost } from '../compile/atom-cost.ts'
import type { FunctionCode } from '../compile/code.ts'
import { begin, calleeName, shouldBegin } from '../compile/emit/emit-call-to.ts'
import { writeRef } from '../compile/emit/emit-variables.ts'
import { takeOutcome } from '../compile/emit/emit-waits.ts'
import type { Emitter } from '../compile/emit/emitter.ts'
import type { Call, Method } from '../compile/ir.ts'
import type { AwaitTo, CallTo, Request } from '../compile/ir-statements.ts'
import type { Action } from '../compile/language.ts'
import { locate } from '../compile/error-location.ts'
import { notCallable } from '../machine/invoke.ts'
import { UNITS_PER_FUEL, burn, live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { isCallable } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import type { Frame, GuestFunction } from '../value/guest-function.ts'
import { LABEL_BITS, CHOSEN } from './bits.ts'
import { emitArguments, emitMethodLookup } from './calls.ts'
import { callWithRaisedPc, performCall } from './labelled-call.ts'
import type { LabelledCall } from './labelled-call.ts'
import { labelFrame, withFirst } from './function-entry.ts'
import type { ArgumentLabels } from './function-entry.ts'
import { totalLabel } from './heap.ts'
import { pcSlotOf } from './function-bodies.ts'
import { noteMayThrow, labelWriter } from './rules/variables.ts'
import { noteAlternativeTarget, noteAlternatives } from './alternative-targets.ts'
import { labelSlot } from './slots.ts'
import { noteTemp } from './temps.ts'

/** Takes the outcome of a wait; its label is in `live.label`, also when it is thrown. */
export function takeLabelled(frame: Frame, more: number): Guest {
  live.label = ((frame[1] as Activation).label | more) & LABEL_BITS
  const got = takeOutcome(frame)
  if (live.label !== 0) noteMayThrow()
  else if (live.isLabelled && got instanceof GuestArray) {
    // `Promise.all` would have thrown if one of the parts had failed.
    live.label = totalLabel(got)
    noteMayThrow()
    live.label = 0
  }
  return got
}

export function awaitTo(st: AwaitTo, emit: Emitter): Action {
  noteTemp(emit.fn, st)
  const value = emit.ex(st.value)
  const { slot } = st
  const at = slot >= 0 ? labelSlot(emit.fn, slot) : -1
  const place = emit.fn.ownSlot()
  const bits = emit.fn.ownSlot()
  return (frame) => {
    const activation = frame[1] as Activation
    if (!frame[place]) {
      live.label = 0
      activation.awaited = value(frame)
      activation.why = WHY_AWAIT
      frame[bits] = live.label
      frame[place] = 1
      return SUSPEND
    }
    frame[place] = 0
    const got = takeLabelled(frame, frame[bits] as number)
    if (slot >= 0) {
      frame[slot] = got
      frame[at] = live.label
    }
    return NEXT
  }
}

export function request(st: Request, emit: Emitter): Action {
  const fields = emit.ex(st.fields)
  const { atom } = st
  const write = st.target === undefined ? undefined : writeRef(st.target)
  const store = st.target === undefined ? undefined : labelWriter(st.target, emit)
  const place = emit.fn.ownSlot()
  return (frame) => {
    if (!frame[place]) {
      live.label = 0
      const input = fields(frame)
      if (typeof atom.cost === 'function') burn(Math.round(atomCost(atom, input) * UNITS_PER_FUEL))
      const activation = frame[1] as Activation
      live.label = 0
      activation.awaited = live.machine.waiting.request(atom.kind ?? 'atom', atom.op, input)
      activation.why = WHY_AWAIT
      frame[place] = 1
      return SUSPEND
    }
    frame[place] = 0
    const got = takeLabelled(frame, 0)
    write?.(frame, got)
    store?.(frame, live.label)
    return NEXT
  }
}

function emitLabelledCall(call: Call | Method, emit: Emitter): (frame: Frame) => LabelledCall {
  const object = emit.ex(call.k === 'call' ? call.callee : call.object)
  const args = emitArguments(call.args, emit)
  const before = call.k === 'method' && call.found !== undefined ? emit.ex(call.found) : undefined
  // The statement adds the location to errors.
  const find = call.k === 'method' ? emitMethodLookup({ name: call.name, at: undefined }, emit) : undefined
  return (frame) => {
    live.label = 0
    const first = object(frame)
    const bits: ArgumentLabels = []
    if (call.k === 'call') {
      const calleeLabel = live.label
      return {
        target: first,
        calleeLabel,
        receiver: undefined,
        receiverBits: 0,
        values: args(frame, bits),
        bits,
        site: call,
      }
    }
    const receiverBits = live.label
    if (receiverBits !== 0) noteMayThrow()
    live.label = 0
    const target = before === undefined ? find!(frame, first, receiverBits) : before(frame)
    const calleeLabel = live.label
    return { target, calleeLabel, receiver: first, receiverBits, values: args(frame, bits), bits, site: call }
  }
}

/** A hoisted call: near the top of the stack it gets its own activation (suspendable), deeper it runs on the native stack. */
export function callTo(st: CallTo, emit: Emitter): Action {
  noteTemp(emit.fn, st)
  const { slot, call } = st
  const labelledCall = emitLabelledCall(call, emit)
  const at = slot >= 0 ? labelSlot(emit.fn, slot) : -1
  const place = emit.fn.ownSlot()
  const calleeLabelAt = emit.fn.ownSlot()
  const callee = emit.fn.ownSlot()
  const name = calleeName(call)
  const standIns = emit.unit.language.listMethods
  const start = (
    target: GuestFunction,
    { values, bits, calleeLabel, receiver, receiverBits }: Omit<LabelledCall, 'target' | 'site'>,
    frame: Frame,
  ): unknown => {
    const suspended: unknown = begin(target, { args: values, self: receiver }, frame)
    const inner = (frame[1] as Activation).callee!
    labelFrame(target.code as FunctionCode, inner.frame, bits, receiverBits)
    inner.frame[pcSlotOf(target.code as FunctionCode)] = calleeLabel === 0 ? live.pc : live.pc | calleeLabel | CHOSEN
    frame[place] = 1
    frame[calleeLabelAt] = calleeLabel
    frame[callee] = target
    return suspended
  }
  return (frame) => {
    let value: Guest
    if (frame[place] === 1) {
      frame[place] = 0
      const calleeLabel = frame[calleeLabelAt] as number
      value = takeLabelled(frame, calleeLabel)
      if (calleeLabel !== 0) callWithRaisedPc(frame[callee] as GuestFunction, calleeLabel, () => undefined)
      frame[callee] = undefined
    } else {
      const made = labelledCall(frame)
      const { target, calleeLabel, receiver, values, bits, receiverBits } = made
      if (shouldBegin(target, frame)) {
        if (calleeLabel !== 0) noteAlternativeTarget(made, emit.unit)
        return start(target, made, frame)
      }
      const standIn = target instanceof BuiltinFunction ? standIns?.standIn(target, receiver, values) : undefined
      if (standIn !== undefined && shouldBegin(standIn.target, frame)) {
        if (live.isLabelled) noteAlternatives((target as BuiltinFunction).path, made, emit.unit)
        return start(
          standIn.target,
          {
            values: [...standIn.args],
            bits: withFirst(receiverBits, bits),
            calleeLabel,
            receiver: undefined,
            receiverBits: 0,
          },
          frame,
        )
      }
      live.label = 0
      if (!isCallable(target)) {
        live.label = calleeLabel | receiverBits
        throw locate(notCallable(target, name), call.at)
      }
      value = performCall(made, emit)
    }
    if (slot >= 0) {
      frame[slot] = value
      frame[at] = live.label
    }
    return NEXT
  }
}
