import type { FunctionCode } from '../compile/code.ts'
import { allCodes } from '../compile/emit/emitter.ts'
import type { Emitter, Unit } from '../compile/emit/emitter.ts'
import type { FunctionInfo, Variable } from '../compile/lower/scope.ts'
import { Activation } from '../machine/activation.ts'
import { Resolver } from '../machine/promises/promise-waiters.ts'
import { live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import type { Guest } from '../value/guest.ts'
import { Box, GuestFunction } from '../value/guest-function.ts'
import type { Frame } from '../value/guest-function.ts'
import { GuestObject } from '../value/guest-object.ts'
import { PENDING } from '../value/guest-promise.ts'
import type { GuestPromise, Waiter } from '../value/guest-promise.ts'
import { GuestNative } from '../value/native/guest-native.ts'
import { inheritedFrom, readProperty, readStatic } from '../value/prototypes/lookup.ts'
import { CHOSEN, isChosen } from './bits.ts'
import { CALLED, CALLS_LATER, STATIC_MUTATORS } from './rules/builtin-flows.ts'
import { effectsOf } from './rules/effect-analysis.ts'
import { isImpure } from './rules/purity.ts'
import type { Effects, Place } from './rules/effect-set.ts'
import { totalLabel, deepLabel, isHolder, partLabel, raiseLabel, raiseDeep, raiseAlternatives } from './heap.ts'
import { hasPatterns } from './value-kinds.ts'
import { returned } from './rules/node-facts.ts'
import { shadowsBuiltins } from './implicit-calls.ts'
import { labelSlot } from './slots.ts'

/** Joins a label into everything that a region may have written, executed or not (implicit flows). */
export function raiseEffects(effects: Effects, unit: Unit, frame: Frame, bits: number): void {
  const { info } = effects
  for (const slot of effects.temps) {
    const at = labelSlot(info, slot)
    frame[at] = (frame[at] as number) | bits
  }
  for (const place of effects.assigned) raisePlace(place, info, frame, bits)
  const read = (place: Place): Held => heldAt(place, info, frame)
  const isLater = effects.startsLater
  raiseReachable(effects, { unit, bits, read, isLater, seen: new Set() })
  // A second pass: one called function may store what another one writes or calls.
  if (effects.calls.length > 0) raiseReachable(effects, { unit, bits, read, isLater, seen: new Set() })
}

function raisePlace(place: Place, info: FunctionInfo, frame: Frame, bits: number): void {
  if (typeof place === 'number') frame[0][place]!.label |= bits
  else if (!place.isCaptured) {
    const at = labelSlot(info, place.slot)
    frame[at] = (frame[at] as number) | bits
  } else if (frame[place.slot] instanceof Box) (frame[place.slot] as Box).label |= bits
}

/** The value of a variable and its label. */
interface Held {
  readonly value: Guest
  readonly bits: number
  /** The box of the variable, if its value can change later. */
  readonly box?: Box | undefined
}

const NOTHING: Held = { value: undefined, bits: 0 }
/** Stands for an argument of a call that did not happen. */
const ANYTHING: Held = { value: undefined, bits: 0 }

function heldAt(place: Place, info: FunctionInfo, frame: Frame): Held {
  const box = typeof place === 'number' ? frame[0][place] : frame[place.slot]
  if (box instanceof Box) return heldIn(box, typeof place === 'number' ? info.captures[place]!.variable : place)
  return { value: box as Guest, bits: frame[labelSlot(info, (place as Variable).slot)] as number }
}

function heldIn(box: Box, { kind }: Variable): Held {
  const canBeSet = kind === 'let' || kind === 'var'
  return { value: box.value, bits: box.label, box: canBeSet ? box : undefined }
}

/** The value at the end of a path of property names. */
function resolvePath(held: Held, path: readonly string[]): Held {
  if (path.length === 0 || held === ANYTHING) return held
  let { value, bits } = held
  for (const name of path) {
    bits |= isHolder(value) ? partLabel(value, name) : 0
    // The result of a getter is unknown without running it.
    if (hasGetter(value, name)) return { value: undefined, bits: bits | CHOSEN }
    // Values accessed through an object of the platform carry its label.
    if (!(value instanceof GuestNative))
      value = value instanceof GuestObject || value instanceof GuestFunction ? dataOf(value, name) : undefined
  }
  return { value, bits }
}

function hasGetter(value: Guest, name: string): boolean {
  const object = value instanceof GuestFunction ? value.own : value
  if (!(object instanceof GuestObject)) return false
  return (object.has(name) ? object : inheritedFrom(object, name))?.accessor(name) !== undefined
}

function dataOf(value: GuestObject | GuestFunction, name: string): Guest {
  if (value instanceof GuestFunction) return readStatic(value, name)
  return value.extra === null ? value.get(name) : readProperty(value, name)
}

function raiseRoot(held: Held, path: readonly string[], bits: number): void {
  const { value, bits: labels } = resolvePath(held, path)
  if (value instanceof GuestNative) raiseMoved(value, bits)
  else if (isHolder(value)) raiseLabel(value, bits)
  if (isChosen(labels)) live.heapFloor |= bits | labels
}

/** Raises the iterators that this one advances because it reads from them. */
function raiseMoved(value: GuestNative, bits: number): void {
  const moved = new Set<GuestNative>([value])
  for (const one of moved) {
    raiseLabel(one, bits)
    for (const source of one.held()) if (source instanceof GuestNative) moved.add(source)
  }
}

function raiseFilled({ value, bits: labels }: Held, bits: number): void {
  if (isHolder(value)) raiseLabel(value, bits & ~CHOSEN)
  if (isChosen(labels)) live.heapFloor |= bits | labels
}

/** One of the parts may have been written: raises them all, or the whole heap when the parts themselves were selected. */
function raiseInside({ value, bits: labels }: Held, bits: number): void {
  if (!isHolder(value)) return
  raiseAlternatives(isChosen(labels | totalLabel(value)) ? undefined : value, bits)
  // The written part may now refer to anything.
  raiseLabel(value, bits)
}

/** Raises an iterator that may have been advanced. Other iterated values do not change. */
function raiseAdvanced(held: Held, bits: number): void {
  if (held === ANYTHING) {
    live.heapFloor |= bits
    return
  }
  if (held.value instanceof GuestNative) raiseMoved(held.value, bits)
  if (isChosen(held.bits)) live.heapFloor |= bits | held.bits
}

interface RaiseContext {
  readonly unit: Unit
  readonly bits: number
  readonly read: (place: Place) => Held
  /** Whether it may be written at any later time, after any other writes. */
  readonly isLater: boolean
  /** Functions visited already. */
  readonly seen: Set<GuestFunction>
}

function raiseReachable(effects: Effects, context: RaiseContext): void {
  const { unit, bits, seen, isLater } = context
  if (isLater) live.laterLabel |= bits
  const read = (place: Place): Held => {
    const held = context.read(place)
    if (isLater && held.box !== undefined) held.box.label |= bits & ~CHOSEN
    return held
  }
  const raiseAll = ({ value, bits: own }: Held): void => {
    raiseDeep(value, bits)
    if (isChosen(own | deepLabel(value))) live.heapFloor |= bits | own
  }
  for (const [place, path] of effects.writtenPaths) raiseRoot(read(place), path, bits)
  for (const place of effects.deep) raiseAll(read(place))
  for (const [place, path] of effects.advanced) raiseAdvanced(resolvePath(read(place), path), bits)
  for (const place of effects.filled) raiseFilled(read(place), bits)
  for (const place of effects.inside) raiseInside(read(place), bits)
  if (effects.usesPatterns && hasPatterns(allCodes(unit))) {
    for (const [place, path] of effects.patterns) raiseRoot(read(place), path, bits)
    if (effects.hasUnknownPattern) live.heapFloor |= bits
  }
  for (const { callee, path, args } of effects.calls) {
    const held = resolvePath(read(callee), path)
    const { value: target, bits: own } = held
    // Until it is called, the variable may get another function.
    const isAnother = isLater && (target === undefined || read(callee).box !== undefined)
    if (
      (held === ANYTHING || isAnother || isChosen(own)) &&
      isImpure(target instanceof GuestFunction ? unitOf(target) : unit)
    )
      live.heapFloor |= bits | own
    // The call may have settled a promise, which later resolvers would observe.
    if (target instanceof Resolver) raiseUnsettled(target.promise, bits)
    const given = args.map((arg) => (arg === undefined ? ANYTHING : read(arg)))
    if (target instanceof BuiltinFunction) raiseArguments(target, given, context)
    if (!(target instanceof GuestFunction)) continue
    raiseCalled(target, bits, { seen, isLater })
    if (!effectsOf((target.code as FunctionCode).fn).mutatesParams) continue
    for (const one of given)
      if (one === ANYTHING) live.heapFloor |= bits
      else raiseAll(one)
  }
  if (
    effects.isUnknown ||
    effects.picks ||
    ((effects.callsUnknown || shadowsBuiltins(allCodes(unit))) && isImpure(unit))
  )
    live.heapFloor |= bits
}

/** A built-in called through a variable may mutate its first argument and call the others. */
function raiseArguments({ path }: BuiltinFunction, given: readonly Held[], context: RaiseContext): void {
  const { unit, bits, seen } = context
  const name = path.slice(path.lastIndexOf('.') + 1)
  const writes = STATIC_MUTATORS.has(path)
  const calls = CALLED.has(name)
  const isLater = context.isLater || CALLS_LATER.has(name)
  if (!writes && !calls) return
  for (const held of given) {
    if (held === ANYTHING) live.heapFloor |= writes || isImpure(unit) ? bits : 0
    else if (held.value instanceof GuestFunction) raiseCalled(held.value, bits, { seen, isLater })
    else raiseRoot(held, [], bits)
  }
}

/** The compilation unit of a function. Functions that stand in for built-ins have a unit of their own. */
export function unitOf({ code }: GuestFunction): Unit {
  return ((code as FunctionCode).maker as Emitter).unit
}

/** Raises what a function may have written if it had been called, or called with other arguments. */
export function raiseCall(target: GuestFunction, bits: number, isLater = false): void {
  raiseCalled(target, bits, { seen: new Set(), isLater })
  if (effectsOf((target.code as FunctionCode).fn).calls.length > 0)
    raiseCalled(target, bits, { seen: new Set(), isLater })
}

/** Raises for a callback that may not have been called, or with other arguments. */
export function raiseCallback(target: GuestFunction, bits: number, given: number, isLater = false): void {
  raiseCall(target, bits | CHOSEN, isLater)
  if (isChosen(given) && effectsOf((target.code as FunctionCode).fn).mutatesParams) live.heapFloor |= given
}

function raiseCalled(
  target: GuestFunction,
  bits: number,
  { seen, isLater }: Pick<RaiseContext, 'seen' | 'isLater'>,
): void {
  if (seen.has(target)) return
  seen.add(target)
  const { fn } = target.code as FunctionCode
  const effects = effectsOf(fn)
  for (const place of effects.assigned) if (typeof place === 'number') target.boxes[place]!.label |= bits
  const read = (place: Place): Held => {
    if (typeof place !== 'number') return place.kind === 'param' ? ANYTHING : NOTHING
    const box = target.boxes[place]
    return box === undefined ? NOTHING : heldIn(box, fn.info!.captures[place]!.variable)
  }
  const goesOn = isLater || fn.isAsync || effects.startsLater
  raiseReachable(effects, { unit: unitOf(target), bits, read, isLater: goesOn, seen })
}

/** Promises whose waiters are being raised: a waiter may settle the promise that it waits for. */
const underWay = new Set<GuestPromise>()

/**
 * Raises the effects of the waiters of a promise that may have settled in another execution: they may have run there, and so may the waiters of promises that
 * they settle.
 */
export function raiseUnsettled(promise: GuestPromise, bits: number): void {
  raiseLabel(promise, bits)
  if (promise.state !== PENDING || promise.waiters === null || underWay.has(promise)) return
  underWay.add(promise)
  try {
    for (const waiter of promise.waiters) raiseWaiter(waiter, bits)
  } finally {
    underWay.delete(promise)
  }
}

/** The same for one waiter. */
export function raiseWaiter(waiter: Waiter, bits: number): void {
  for (const callback of waiter.callbacks ?? [])
    if (callback instanceof Resolver) raiseUnsettled(callback.promise, bits)
    else if (callback instanceof GuestFunction) raiseCallback(callback, bits, bits, true)
  if (waiter.result !== undefined) raiseUnsettled(waiter.result, bits)
  for (let call: Activation | null = waiter instanceof Activation ? waiter : null; call !== null; call = call.caller) {
    const code = call.code as FunctionCode
    // If the program itself does not continue, it does not end either.
    if (code.fn.isIsolated) return
    live.laterLabel |= bits
    raiseEffects(effectsOf(code.fn), (code.maker as Emitter).unit, call.frame, bits | CHOSEN)
    if (call.promise !== null) raiseUnsettled(call.promise, bits)
  }
}

/** Whether a callback of `reduce` mutates only its accumulator, and the initial one was not selected by labelled data. */
export function writesOnlyAccumulator({ code }: GuestFunction, initial: number): boolean {
  if ((initial & CHOSEN) !== 0) return false
  const { fn } = code as FunctionCode
  const first = fn.params[fn.receives === undefined ? 0 : 1]?.variable
  return (
    effectsOf(fn).mutated.every((place) => place === first) &&
    returned(fn.body).every((one) => one.k === 'var' && one.ref?.to === 'local' && one.ref.variable === first)
  )
}
