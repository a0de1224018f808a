import type { Emitter } from '../compile/emit/emitter.ts'
import { callBuiltin } from '../compile/emit/emit-calls.ts'
import type { Call, Ex, Method } from '../compile/ir.ts'
import { listOf } from '../machine/iterate.ts'
import { GUARDED, burn, live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import type { Builtin } from '../value/builtin-function.ts'
import { GuestRegExp } from '../value/collections.ts'
import { isCallable } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { GuestFunction } from '../value/guest-function.ts'
import { BITS, CHOSEN, isChosen } from './bits.ts'
import {
  KEYS_ONLY,
  MUTATORS,
  PATTERNED,
  PICKING,
  STATIC_MUTATORS,
  TAKING_APART,
  isFresh,
  isShallow,
} from './rules/builtin-flows.ts'
import { isImpure } from './rules/impurity.ts'
import { callFunction } from './entry.ts'
import type { Bits } from './entry.ts'
import {
  allOf,
  blend,
  deepOf,
  giving,
  isHolder,
  partOf,
  raise,
  raiseDeep,
  raiseOthers,
  setPart,
  wholeOf,
} from './heap.ts'
import type { Holder } from './heap.ts'
import { guard, led } from './rules/leaves.ts'
import { goesThroughItems, throughItems } from './list-calls.ts'
import { noteApplied, noteOtherTarget, noteOthers } from './others.ts'
import { isFolding, raiseCall, raiseCallback, unitOf } from './raised-labels.ts'

/** A call with the labels of everything that goes into it. */
export interface Going {
  readonly target: Guest
  /** Labels of the function itself: of what decided which one it is. */
  readonly of: number
  readonly receiver: Guest
  readonly receiverBits: number
  readonly values: Guest[]
  readonly bits: Bits
  /** Where it stands in the program. */
  readonly site: Call | Method
  /** What the receiver was chosen from, if that is known. */
  readonly from?: Holder | undefined
}

function join(bits: Readonly<Bits>): number {
  let all = bits.beyond ?? 0
  for (let i = 0; i < bits.length; i++) all |= bits[i]!
  return all
}

/** Runs a call because of labelled things: while it runs they lead, afterwards all that it could have set carries them. */
export function callLed(target: GuestFunction, bits: number, run: () => Guest): Guest {
  const saved = live.pc
  live.pc |= bits | CHOSEN
  const result = run()
  live.lab |= bits | CHOSEN
  // It could have been another function.
  if ((bits & CHOSEN) !== 0 && isImpure(unitOf(target))) live.floor |= bits
  raiseCall(target, bits | CHOSEN)
  if ((saved & GUARDED) === 0) live.pc = saved
  return result
}

/** Calls whatever it is. The labels of the result are added to the register. */
export function go(going: Going, emit: Emitter): Guest {
  const { target, of, values, bits } = going
  if (target instanceof GuestFunction) {
    if (of === 0) return callFunction(target, values, bits)
    noteOtherTarget(going, emit.unit)
    return callLed(target, of, () => callFunction(target, values, bits))
  }
  return builtinCall(target as BuiltinFunction, going, emit)
}

function builtinCall(target: BuiltinFunction, going: Going, emit: Emitter): Guest {
  const builtin = target.builtin!
  const { receiver, values, bits, of } = going
  const outer = live.lab
  if (builtin.flow === 'ask') {
    // It could have been a function of the program.
    if (of !== 0) noteOtherTarget(going, emit.unit)
    const saved = live.pc
    if (of !== 0) live.pc |= of | CHOSEN
    live.lab = bits[0] ?? bits.beyond ?? 0
    const promise = callBuiltin(builtin, receiver, values)
    live.lab = outer
    if ((saved & GUARDED) === 0) live.pc = saved
    return promise
  }
  if (!live.isLabelled) return callBuiltin(builtin, receiver, values)
  noteOthers(target.path, going, emit.unit)
  if (target.path === 'function.call' || target.path === 'function.apply') {
    noteApplied(going)
    const applied = appliedBuiltin(target.path, going)
    if (applied !== undefined) {
      // What is called is paid for by the call of `call` alone, as where labels are off.
      burn(builtin.cost - (applied.target as BuiltinFunction).builtin!.cost)
      return go(applied, emit)
    }
  }
  if (goesThroughItems(target, going)) return throughItems(target, going)
  if (target.path === 'array.push' && receiver instanceof GuestArray) return push(builtin, receiver, going)
  return through(target, going)
}

/** The call of a built-in that `call` or `apply` makes: its own rule holds for it, as if it had been called by its name. */
function appliedBuiltin(
  path: string,
  { receiver: target, receiverBits, values, bits, of, site }: Going,
): Going | undefined {
  if (!(target instanceof BuiltinFunction) || target.builtin === undefined) return undefined
  const [receiver, list] = values
  const shared = { target, of: of | receiverBits, receiver, receiverBits: bits[0] ?? bits.beyond ?? 0 }
  const own: Bits = []
  // Behind what was spread nothing has a place of its own.
  const rest = site.args[0]?.k === 'spread' ? site.args : site.args.slice(1)
  if (path === 'function.call') {
    own.push(...bits.slice(1))
    own.beyond = bits.beyond
    return { ...shared, values: values.slice(1), bits: own, site: { ...site, args: rest } }
  }
  const ofList = bits[1] ?? bits.beyond ?? 0
  const items = list === undefined || list === null ? [] : listOf(list).items
  for (let i = 0; i < items.length; i++) own.push(ofList | (isHolder(list) ? partOf(list, i) | live.floor : 0))
  const all = ofList | (isHolder(list) ? wholeOf(list) | live.floor : 0)
  if (all !== 0) own.beyond = all | CHOSEN
  const args: readonly Ex[] = rest.map((one) => (one.k === 'spread' ? one : { k: 'spread', argument: one }))
  return { ...shared, values: [...items], bits: own, site: { ...site, args } }
}

function push(builtin: Builtin, receiver: GuestArray, { values, bits, receiverBits, of, from }: Going): Guest {
  const before = receiver.items.length
  const result = callBuiltin(builtin, receiver, values)
  const way = receiverBits | of
  const structure = way | led() | (bits.beyond ?? 0)
  if (structure !== 0) raise(receiver, structure)
  // That the method was chosen is noted whichever it is.
  if ((receiverBits & CHOSEN) !== 0) raiseOthers(from, way)
  for (let i = 0; i < values.length; i++) {
    // Where it went depends on how many there were.
    if (bits[i] !== 0 || receiver.label !== 0) setPart(receiver, before + i, bits[i]! | wholeOf(receiver))
    const value = values[i]
    if (typeof value === 'object' && value !== null && wholeOf(receiver) !== 0) raise(receiver, CHOSEN)
  }
  live.lab |= way | wholeOf(receiver)
  guard()
  return result
}

/** The same for one value, by a method that was not chosen. */
export function pushOne(builtin: Builtin, receiver: GuestArray, value: Guest, way: number): Guest {
  const own = live.lab
  if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
  const result = builtin.one!(receiver, value)
  const structure = way | led()
  if (structure !== 0) raise(receiver, structure)
  if ((way & CHOSEN) !== 0) live.floor |= way
  const whole = wholeOf(receiver)
  if (own !== 0 || receiver.label !== 0) setPart(receiver, receiver.items.length - 1, own | whole)
  if (whole !== 0 && typeof value === 'object' && value !== null) raise(receiver, CHOSEN)
  live.lab = way | whole
  guard()
  return result
}

function contentOf(path: string, value: Guest): number {
  if (typeof value !== 'object' || value === null) return 0
  if (KEYS_ONLY.has(path)) return isHolder(value) ? wholeOf(value) | live.floor : 0
  if (isShallow(path)) return isHolder(value) ? allOf(value) | live.floor : 0
  return deepOf(value)
}

/** A built-in as if nothing were known of it: what comes out has the labels of all that went in. */
function through(target: BuiltinFunction, { receiver, values, bits, receiverBits, of, from }: Going): Guest {
  const { path } = target
  let all = of | receiverBits | join(bits) | contentOf(path, receiver)
  for (const value of values) all |= contentOf(path, value)
  const callbacks = [receiver, ...values].filter(isCallable) as (GuestFunction | BuiltinFunction)[]
  const { changed, way } = changedBy(path, { receiver, values, bits, receiverBits })
  const outer = live.lab
  const { given, pc } = live
  for (const holder of changed) blend(holder)
  if (callbacks.length > 0) {
    live.given = all
    if (all !== 0) live.pc |= all | CHOSEN
  }
  // A function that was chosen may be one that draws a number.
  if (of !== 0) live.pc |= of | CHOSEN
  live.lab = all
  const result = TAKING_APART.has(path)
    ? takenApart(() => callBuiltin(target.builtin!, receiver, values))
    : callBuiltin(target.builtin!, receiver, values)
  all |= live.lab & BITS
  live.given = given
  if ('promise' in target && isHolder(target.promise)) raise(target.promise, all | led())
  if (all !== 0) {
    for (const callback of callbacks)
      if (callback instanceof GuestFunction) {
        const folds = path.startsWith('array.reduce') && isFolding(callback, bits[1] ?? bits.beyond ?? 0)
        raiseCallback(callback, all, folds ? 0 : all)
        if (folds) raiseDeep(values[1], all)
      }
    all |= CHOSEN
  }
  if (callbacks.some((one) => one instanceof BuiltinFunction && STATIC_MUTATORS.has(one.path)))
    noteWritten(path, { receiver, values, bits, receiverBits }, all | led())
  for (const holder of changed) if ((all | led()) !== 0) raise(holder, all | led())
  if ((way & CHOSEN) !== 0) raiseOthers(STATIC_MUTATORS.has(path) ? undefined : from, all | way)
  if ((pc & GUARDED) === 0) live.pc = pc
  live.lab = all
  guard()
  // What gives back its receiver chose nothing.
  live.lab =
    outer |
    (result === receiver && typeof result === 'object' && changed.length > 0
      ? receiverBits | of
      : labelsOfResult(path, result, all))
  return result
}

type Inputs = Pick<Going, 'receiver' | 'values' | 'bits' | 'receiverBits'>

/** A built-in that changes its first argument was called back: by `reduce` with what it hands on, else with anything that is inside. */
function noteWritten(path: string, { receiver, values, bits, receiverBits }: Inputs, all: number): void {
  if (all === 0) return
  const isFold = path.startsWith('array.reduce') && values.length > 1
  const written = isFold ? [values[1]] : [receiver, ...values]
  const whole = isHolder(receiver) ? wholeOf(receiver) | live.floor : 0
  // It may have been called with something that is not there now.
  const lead = isFold ? 0 : receiverBits | join(bits) | whole
  const isOther = lead !== 0 || isChosen(isFold ? (bits[1] ?? bits.beyond ?? 0) : 0)
  if (isOther || written.some((value) => isChosen(deepOf(value)))) live.floor |= all
  for (const value of written) raiseDeep(value, all)
}

function takenApart(call: () => Guest): Guest {
  const before = giving.isTakenApart
  giving.isTakenApart = true
  try {
    return call()
  } finally {
    giving.isTakenApart = before
  }
}

/** Labels of what a built-in gave. What is new was not chosen, though what is in it may have been. */
function labelsOfResult(path: string, result: Guest, bits: number): number {
  if (typeof result !== 'object' || result === null) return PICKING.has(path) ? bits : bits & ~CHOSEN
  if (!isFresh(path)) return bits
  if (bits !== 0 && isHolder(result)) raise(result, bits)
  return bits & ~CHOSEN
}

interface Changed {
  readonly changed: readonly Holder[]
  /** Labels of the references to it, whatever stands there now: they say the same in every execution. */
  readonly way: number
}

/** What a built-in may change: it depends on the place where something stands, not on what else it is. */
function changedBy(path: string, { receiver, values, bits, receiverBits }: Inputs): Changed {
  const name = path.slice(path.lastIndexOf('.') + 1)
  const first = values[0]
  const isReceiver = MUTATORS.has(name) && !path.startsWith('string.')
  const isFirst = STATIC_MUTATORS.has(path)
  // Of what a text is gone through with, patterns alone are changed; what else it could have been is noted apart.
  const isPattern = PATTERNED.has(name) && first instanceof GuestRegExp
  const changed = [...(isReceiver ? [receiver] : []), ...(isFirst || isPattern ? [first] : [])]
  return {
    changed: changed.filter((value) => !(value instanceof BuiltinFunction)).filter(isHolder) as Holder[],
    way: (isReceiver ? receiverBits : 0) | (isFirst ? (bits[0] ?? bits.beyond ?? 0) : 0),
  }
}

export function construct(target: BuiltinFunction, values: Guest[], bits: Readonly<Bits>): Guest {
  const outer = live.lab
  let all = join(bits)
  for (const value of values) all |= deepOf(value)
  const { given, pc } = live
  const callbacks = values.filter((value) => value instanceof GuestFunction)
  if (callbacks.length > 0) {
    live.given = all
    if (all !== 0) live.pc |= all | CHOSEN
  }
  live.lab = all
  // What the function of a promise throws is caught by the promise.
  const isGuarded = target.path === 'Promise'
  if (isGuarded) live.pc |= GUARDED
  const made = target.construct!(values)
  if (isGuarded && isHolder(made)) raise(made, live.pc & BITS & ~(pc & BITS))
  live.given = given
  if (all !== 0) {
    for (const callback of callbacks) raiseCallback(callback, all, all)
    if (isHolder(made)) raise(made, all | CHOSEN)
  }
  if (isGuarded || (pc & GUARDED) === 0) live.pc = pc
  live.lab = all
  guard()
  live.lab = outer | (all & ~CHOSEN)
  return made
}
