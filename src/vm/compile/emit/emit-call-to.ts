import { Activation, NEXT, SUSPEND, WHY_CALL } from '../../machine/activation.ts'
import { newFrame } from '../../machine/frame.ts'
import { fillFrame, invoke, notCallable, tooDeep } from '../../machine/invoke.ts'
import { newPromise } from '../../machine/promises/promises.ts'
import { ACTIVATION_BYTES } from '../../machine/waits.ts'
import { charge, chargeList, live } from '../../meter/live.ts'
import { BuiltinFunction } from '../../value/builtin-function.ts'
import { isCallable, toKey } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray, everyItem } from '../../value/guest-array.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import type { Closure, Frame } from '../../value/guest-function.ts'
import { getKeyed } from '../../value/property.ts'
import type { FunctionCode } from '../code.ts'
import { callFound, emitArguments, findMethod, nameOf } from './emit-calls.ts'
import { takeOutcome } from './emit-waits.ts'
import type { Emitter } from './emitter.ts'
import type { Call, Method } from '../ir.ts'
import type { CallTo } from '../ir-statements.ts'
import type { Action } from '../language.ts'
import { locate } from '../error-location.ts'

/** Calls up to this depth are always suspendable. */
const LEVELS_SURE = 12
/** Deeper calls are suspendable up to this depth, unless the last one at that level was short: recursive programs spend their time in short, deep calls. */
const LEVELS_MAX = 64
const SHORT_UNITS = 2_000_000

/** The arguments of a call to start, and `this`. */
interface Begun {
  readonly args: readonly Guest[]
  readonly self: Guest
}

/** Starts a suspendable call. */
export function begin(target: GuestFunction, { args, self }: Begun, frame: Frame): typeof SUSPEND {
  const code = target.code as FunctionCode
  if ((live.fuel -= code.cost) < 0) live.machine.refuel()
  code.resumable()
  charge(ACTIVATION_BYTES + code.resumableSlots * 8)
  const inner = newFrame(code.resumableSlots, target.boxes)
  fillFrame(inner, code, args, self)
  const caller = frame[1] as Activation
  const callee = new Activation(code, inner, caller, code.isAsync ? newPromise() : null)
  if (callee.depth > live.depthMax) tooDeep()
  if (caller.level >= LEVELS_SURE) callee.callKey = code.id * LEVELS_MAX + callee.level
  callee.unitsBefore = live.machine.unitsUsedNow()
  caller.callee = callee
  caller.why = WHY_CALL
  return SUSPEND
}

export function shouldBegin(target: Guest, frame: Frame): target is GuestFunction {
  if (!(target instanceof GuestFunction)) return false
  const code = target.code as FunctionCode
  if (code.waits) return true
  if (code.isGenerator) return false
  if (!code.isLong && !code.isAsync) return false
  const { level } = frame[1] as Activation
  if (level < LEVELS_SURE) return true
  return (
    level < LEVELS_MAX && (live.machine.callUnits.get(code.id * LEVELS_MAX + level + 1) ?? SHORT_UNITS) >= SHORT_UNITS
  )
}

/** Unwraps `call` and `apply` of a function of the program. */
function meant({ target, receiver }: Found, values: readonly Guest[]): Begun & { readonly target: Guest } {
  const plain = { target, args: values, self: receiver }
  if (!(target instanceof BuiltinFunction) || !(receiver instanceof GuestFunction)) return plain
  const [self, list] = values
  if (target.path === 'function.call') return { target: receiver, args: values.slice(1), self }
  if (target.path !== 'function.apply' || !(list instanceof GuestArray)) return plain
  chargeList(list.items.length)
  return { target: receiver, args: everyItem(list.items), self }
}

interface Found {
  readonly target: Guest
  readonly receiver: Guest
}

/** The callee and its receiver. */
function emitTarget(call: Call | Method, emit: Emitter): (frame: Frame) => Found {
  if (call.k === 'call') {
    const callee = emit.ex(call.callee)
    return (frame) => ({ target: callee(frame), receiver: undefined })
  }
  const object = emit.ex(call.object)
  const { name } = call
  if (call.found !== undefined) {
    const found = emit.ex(call.found)
    return (frame) => ({ target: found(frame), receiver: object(frame) })
  }
  const key: Closure = typeof name === 'string' ? () => name : emit.ex(name)
  return (frame) => {
    const receiver = object(frame)
    const at = key(frame)
    return { target: typeof at === 'number' ? getKeyed(receiver, at) : findMethod(receiver, toKey(at)), receiver }
  }
}

export function calleeName(call: Call | Method): string | undefined {
  if (call.k === 'call') return nameOf(call.callee)
  return typeof call.name === 'string'
    ? nameOf({ k: 'member', object: call.object, name: call.name, optional: false, lenient: false })
    : undefined
}

/** A hoisted call: near the top of the stack it gets its own activation (suspendable), deeper it runs on the native stack. */
export function callTo(st: CallTo, emit: Emitter): Action {
  const { slot, call } = st
  const find = emitTarget(call, emit)
  const args = emitArguments(call.args, emit)
  const place = emit.fn.ownSlot()
  const name = calleeName(call)
  const { at } = call
  const standIns = emit.unit.language.listMethods
  return (frame) => {
    let value: Guest
    if (frame[place] === 1) {
      frame[place] = 0
      value = takeOutcome(frame)
    } else {
      const { target, receiver } = find(frame)
      const values = args(frame)
      const called = meant({ target, receiver }, values)
      if (shouldBegin(called.target, frame)) {
        frame[place] = 1
        return begin(called.target, called, frame)
      }
      const standIn = target instanceof BuiltinFunction ? standIns?.standIn(target, receiver, values) : undefined
      if (standIn !== undefined && shouldBegin(standIn.target, frame)) {
        frame[place] = 1
        return begin(standIn.target, { args: standIn.args, self: undefined }, frame)
      }
      if (!isCallable(target)) throw locate(notCallable(target, name), at)
      value = receiver === undefined ? invoke(target, values) : callFound(target, receiver, values)
    }
    if (slot >= 0) frame[slot] = value
    return NEXT
  }
}
