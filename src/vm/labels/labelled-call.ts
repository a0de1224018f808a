import type { Emitter } from '../compile/emit/emitter.ts'
import { callBuiltin } from '../compile/emit/emit-calls.ts'
import type { Call, Ex, Method } from '../compile/ir.ts'
import { listOf } from '../machine/iteration/iterate.ts'
import { Resolver } from '../machine/promises/promise-waiters.ts'
import { IN_TRY, burn, live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import type { Builtin } from '../value/builtin-function.ts'
import { GuestRegExp } from '../value/collections.ts'
import { isCallable } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { GuestFunction } from '../value/guest-function.ts'
import { GuestObject } from '../value/guest-object.ts'
import { GuestNative } from '../value/native/guest-native.ts'
import { LABEL_BITS, CHOSEN, isChosen } from './bits.ts'
import {
  KEYS_ONLY,
  MUTATORS,
  PATTERNED,
  PICKING,
  STATIC_MUTATORS,
  INSPECTS_RESULTS,
  isFresh,
  isShallow,
} from './rules/builtin-flows.ts'
import { isImpure } from './rules/purity.ts'
import { callFunction } from './function-entry.ts'
import type { ArgumentLabels } from './function-entry.ts'
import {
  totalLabel,
  mergePartLabels,
  deepLabel,
  callbackResults,
  isHolder,
  partLabel,
  raiseLabel,
  raiseDeep,
  raiseAlternatives,
  setPartLabel,
  structureLabel,
} from './heap.ts'
import type { Holder } from './heap.ts'
import { noteMayThrow, pcLabel } from './rules/variables.ts'
import { isItemwise, callItemwise } from './itemwise-calls.ts'
import { noteAlternativeApply, noteAlternativeTarget, noteAlternatives } from './alternative-targets.ts'
import { writesOnlyAccumulator, raiseCall, raiseCallback, raiseUnsettled, unitOf } from './raise-effects.ts'

/** A call with the labels of the callee, the receiver and the arguments. */
export interface LabelledCall {
  readonly target: Guest
  /** Label of the callee: of what decided which function it is. */
  readonly calleeLabel: number
  readonly receiver: Guest
  readonly receiverBits: number
  readonly values: Guest[]
  readonly bits: ArgumentLabels
  /** The call node in the program. */
  readonly site: Call | Method
  /** The holder that a labelled key selected the receiver from, if known. */
  readonly from?: Holder | undefined
}

function joinLabels(bits: Readonly<ArgumentLabels>): number {
  let all = bits.absent ?? 0
  for (let i = 0; i < bits.length; i++) all |= bits[i]!
  return all
}

/** Runs a call whose callee labelled data selected: with a raised program counter label, and with every effect of the callee raised afterwards. */
export function callWithRaisedPc(target: GuestFunction, bits: number, run: () => Guest): Guest {
  const saved = live.pc
  live.pc |= bits | CHOSEN
  const result = run()
  live.label |= bits | CHOSEN
  // Another function may have been called instead.
  if ((bits & CHOSEN) !== 0 && isImpure(unitOf(target))) live.heapFloor |= bits
  raiseCall(target, bits | CHOSEN)
  if ((saved & IN_TRY) === 0) live.pc = saved
  return result
}

/** Performs a call of any callable value and joins the label of the result into `live.label`. */
export function performCall(call: LabelledCall, emit: Emitter): Guest {
  const { target, calleeLabel, values, bits } = call
  if (target instanceof GuestFunction) {
    const receiver = { self: call.receiver, bits: call.receiverBits }
    if (calleeLabel === 0) return callFunction(target, values, bits, receiver)
    noteAlternativeTarget(call, emit.unit)
    return callWithRaisedPc(target, calleeLabel, () => callFunction(target, values, bits, receiver))
  }
  return builtinCall(target as BuiltinFunction, call, emit)
}

function builtinCall(target: BuiltinFunction, call: LabelledCall, emit: Emitter): Guest {
  const builtin = target.builtin!
  const { receiver, values, bits, calleeLabel } = call
  const outer = live.label
  if (builtin.flow === 'ask' || builtin.flow === 'ask-all') {
    // The callee may have been a function of the program instead.
    if (calleeLabel !== 0) noteAlternativeTarget(call, emit.unit)
    const saved = live.pc
    if (calleeLabel !== 0) live.pc |= calleeLabel | CHOSEN
    live.label = builtin.flow === 'ask' ? (bits[0] ?? bits.absent ?? 0) : allBits(bits)
    const promise = callBuiltin(builtin, receiver, values)
    live.label = outer
    if ((saved & IN_TRY) === 0) live.pc = saved
    return promise
  }
  if (!live.isLabelled) return callBuiltin(builtin, receiver, values)
  noteAlternatives(target.path, call, emit.unit)
  if (target.path === 'function.call' || target.path === 'function.apply') {
    noteAlternativeApply(call)
    const applied = appliedBuiltin(target.path, call)
    if (applied !== undefined) {
      // Only the cost of `call` itself is charged, as without labels.
      burn(builtin.cost - ((applied.target as Partial<BuiltinFunction>).builtin?.cost ?? 0))
      return performCall(applied, emit)
    }
  }
  if (isItemwise(target, call)) return callItemwise(target, call)
  if (target.path === 'array.push' && receiver instanceof GuestArray) return callPush(builtin, receiver, call)
  return callConservatively(target, call)
}

function allBits(bits: ArgumentLabels): number {
  return bits.reduce((all, own) => all | own, bits.absent ?? 0)
}

/** Resolves `call` and `apply` to the call they make, so that the rule of its target applies. */
function appliedBuiltin(
  path: string,
  { receiver: target, receiverBits, values, bits, calleeLabel, site }: LabelledCall,
): LabelledCall | undefined {
  if (!isCallable(target)) return undefined
  const [receiver, list] = values
  const shared = {
    target,
    calleeLabel: calleeLabel | receiverBits,
    receiver,
    receiverBits: bits[0] ?? bits.absent ?? 0,
  }
  const own: ArgumentLabels = []
  // After a spread argument, positions are unknown.
  const rest = site.args[0]?.k === 'spread' ? site.args : site.args.slice(1)
  if (path === 'function.call') {
    own.push(...bits.slice(1))
    own.absent = bits.absent
    return { ...shared, values: values.slice(1), bits: own, site: { ...site, args: rest } }
  }
  const ofList = bits[1] ?? bits.absent ?? 0
  const items = list === undefined || list === null ? [] : listOf(list).items
  for (let i = 0; i < items.length; i++) own.push(ofList | (isHolder(list) ? partLabel(list, i) | live.heapFloor : 0))
  const all = ofList | (isHolder(list) ? structureLabel(list) | live.heapFloor : 0)
  if (all !== 0) own.absent = all | CHOSEN
  const args: readonly Ex[] = rest.map((one) => (one.k === 'spread' ? one : { k: 'spread', argument: one }))
  return { ...shared, values: [...items], bits: own, site: { ...site, args } }
}

function callPush(
  builtin: Builtin,
  receiver: GuestArray,
  { values, bits, receiverBits, calleeLabel, from }: LabelledCall,
): Guest {
  const before = receiver.items.length
  const result = callBuiltin(builtin, receiver, values)
  const referenceLabel = receiverBits | calleeLabel
  const structure = referenceLabel | pcLabel() | (bits.absent ?? 0)
  if (structure !== 0) raiseLabel(receiver, structure)
  // That labelled data selected the method is noted by the caller.
  if ((receiverBits & CHOSEN) !== 0) raiseAlternatives(from, referenceLabel)
  for (let i = 0; i < values.length; i++) {
    // The index depends on the length.
    if (bits[i] !== 0 || receiver.label !== 0) setPartLabel(receiver, before + i, bits[i]! | structureLabel(receiver))
    const value = values[i]
    if (typeof value === 'object' && value !== null && structureLabel(receiver) !== 0) raiseLabel(receiver, CHOSEN)
  }
  live.label |= referenceLabel | structureLabel(receiver)
  noteMayThrow()
  return result
}

/** Fast path for one value and a method that no label selected. */
export function pushOne(builtin: Builtin, receiver: GuestArray, value: Guest, referenceLabel: number): Guest {
  const own = live.label
  if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
  const result = builtin.one!(receiver, value)
  const structure = referenceLabel | pcLabel()
  if (structure !== 0) raiseLabel(receiver, structure)
  if ((referenceLabel & CHOSEN) !== 0) live.heapFloor |= referenceLabel
  const whole = structureLabel(receiver)
  if (own !== 0 || receiver.label !== 0) setPartLabel(receiver, receiver.items.length - 1, own | whole)
  if (whole !== 0 && typeof value === 'object' && value !== null) raiseLabel(receiver, CHOSEN)
  live.label = referenceLabel | whole
  noteMayThrow()
  return result
}

function contentLabel(path: string, value: Guest): number {
  if (typeof value !== 'object' || value === null) return 0
  if (KEYS_ONLY.has(path)) return isHolder(value) ? structureLabel(value) | live.heapFloor : 0
  if (isShallow(path)) return isHolder(value) ? totalLabel(value) | live.heapFloor : 0
  return deepLabel(value)
}

/** Calls a built-in conservatively: the result carries the labels of all inputs. */
function callConservatively(
  target: BuiltinFunction,
  { receiver, values, bits, receiverBits, calleeLabel, from }: LabelledCall,
): Guest {
  const { path } = target
  let all = calleeLabel | receiverBits | joinLabels(bits) | contentLabel(path, receiver)
  for (const value of values) all |= contentLabel(path, value)
  const callbacks = [receiver, ...values].filter(isCallable) as (GuestFunction | BuiltinFunction)[]
  const { changed, referenceLabel } = mutatedBy(path, { receiver, values, bits, receiverBits })
  if (isIteration(receiver, path)) live.machine.flow!.noteIteration(calleeLabel | receiverBits | joinLabels(bits))
  const outer = live.label
  const { callbackLabel: given, pc } = live
  for (const holder of changed) mergePartLabels(holder)
  if (callbacks.length > 0) {
    live.callbackLabel = all
    if (all !== 0) live.pc |= all | CHOSEN
  }
  // The selected function may be one that draws a random number.
  if (calleeLabel !== 0) live.pc |= calleeLabel | CHOSEN
  live.label = all
  // The waiters of the promise are raised while they still wait, as in an execution where the call is not made.
  if (target instanceof Resolver && (all | pcLabel()) !== 0) raiseUnsettled(target.promise, all | pcLabel())
  const result = INSPECTS_RESULTS.has(path)
    ? inspectingResults(() => callBuiltin(target.builtin!, receiver, values))
    : callBuiltin(target.builtin!, receiver, values)
  all |= live.label & LABEL_BITS
  live.callbackLabel = given
  if (target instanceof Resolver) raiseLabel(target.promise, all | pcLabel())
  if (all !== 0) {
    for (const callback of callbacks)
      if (callback instanceof GuestFunction) {
        const folds = path.startsWith('array.reduce') && writesOnlyAccumulator(callback, bits[1] ?? bits.absent ?? 0)
        raiseCallback(callback, all, folds ? 0 : all)
        if (folds) raiseDeep(values[1], all)
      }
    all |= CHOSEN
  }
  if (callbacks.some((one) => one instanceof BuiltinFunction && STATIC_MUTATORS.has(one.path)))
    noteCallbackWrites(path, { receiver, values, bits, receiverBits }, all | pcLabel())
  for (const holder of changed) if ((all | pcLabel()) !== 0) raiseLabel(holder, all | pcLabel())
  if ((referenceLabel & CHOSEN) !== 0)
    raiseAlternatives(STATIC_MUTATORS.has(path) ? undefined : from, all | referenceLabel)
  if ((pc & IN_TRY) === 0) live.pc = pc
  live.label = all
  noteMayThrow()
  // A built-in that returns its receiver selects nothing.
  live.label =
    outer |
    (result === receiver && typeof result === 'object' && changed.length > 0
      ? receiverBits | calleeLabel
      : resultLabel(path, result, all))
  return result
}

/** Whether a call may iterate over its receiver or an argument: methods of iterators, and functions that accept iterables. */
function isIteration(receiver: Guest, path: string): boolean {
  return (
    receiver instanceof GuestNative ||
    receiver instanceof BuiltinFunction ||
    receiver instanceof GuestObject ||
    !path.includes('.')
  )
}

type Inputs = Pick<LabelledCall, 'receiver' | 'values' | 'bits' | 'receiverBits'>

/** The callback is a built-in that mutates its first argument: the accumulator of `reduce`, else any part of the inputs. */
function noteCallbackWrites(path: string, { receiver, values, bits, receiverBits }: Inputs, all: number): void {
  if (all === 0) return
  const isFold = path.startsWith('array.reduce') && values.length > 1
  const written = isFold ? [values[1]] : [receiver, ...values]
  const whole = isHolder(receiver) ? structureLabel(receiver) | live.heapFloor : 0
  // In another execution it may have been called with other values.
  const lead = isFold ? 0 : receiverBits | joinLabels(bits) | whole
  const isOther = lead !== 0 || isChosen(isFold ? (bits[1] ?? bits.absent ?? 0) : 0)
  if (isOther || written.some((value) => isChosen(deepLabel(value)))) live.heapFloor |= all
  for (const value of written) raiseDeep(value, all)
}

function inspectingResults(call: () => Guest): Guest {
  const before = callbackResults.areInspected
  callbackResults.areInspected = true
  try {
    return call()
  } finally {
    callbackResults.areInspected = before
  }
}

/** The label of a built-in's result. A fresh value was not selected, though its parts may have been. */
function resultLabel(path: string, result: Guest, bits: number): number {
  if (typeof result !== 'object' || result === null) return PICKING.has(path) ? bits : bits & ~CHOSEN
  if (!isFresh(path)) return bits
  if (bits !== 0 && isHolder(result)) raiseLabel(result, bits)
  return bits & ~CHOSEN
}

interface Mutated {
  readonly changed: readonly Holder[]
  /** Label of the references to what is mutated. Independent of the values, so the same in every execution. */
  readonly referenceLabel: number
}

/** Returns what a built-in mutates. Decided by position (receiver, first argument), so that it is the same in every execution. */
function mutatedBy(path: string, { receiver, values, bits, receiverBits }: Inputs): Mutated {
  const name = path.slice(path.lastIndexOf('.') + 1)
  const first = values[0]
  const isReceiver = MUTATORS.has(name) && !path.startsWith('string.')
  const isFirst = STATIC_MUTATORS.has(path)
  // Text methods mutate only regular expressions (`lastIndex`); `noteAlternatives` covers other kinds.
  const isPattern = PATTERNED.has(name) && first instanceof GuestRegExp
  const changed = [...(isReceiver ? [receiver] : []), ...(isFirst || isPattern ? [first] : [])]
  return {
    changed: changed.filter((value) => !(value instanceof BuiltinFunction)).filter(isHolder) as Holder[],
    referenceLabel: (isReceiver ? receiverBits : 0) | (isFirst ? (bits[0] ?? bits.absent ?? 0) : 0),
  }
}

export function construct(target: BuiltinFunction, values: Guest[], bits: Readonly<ArgumentLabels>): Guest {
  const outer = live.label
  let all = joinLabels(bits)
  if (all !== 0) live.machine.flow!.noteIteration(all)
  for (const value of values) all |= deepLabel(value)
  const { callbackLabel: given, pc } = live
  const callbacks = values.filter((value) => value instanceof GuestFunction)
  if (callbacks.length > 0) {
    live.callbackLabel = all
    if (all !== 0) live.pc |= all | CHOSEN
  }
  live.label = all
  // The promise catches what its executor throws.
  const isGuarded = target.path === 'Promise'
  if (isGuarded) live.pc |= IN_TRY
  const made = target.construct!(values)
  if (isGuarded && isHolder(made)) raiseLabel(made, live.pc & LABEL_BITS & ~(pc & LABEL_BITS))
  live.callbackLabel = given
  if (all !== 0) {
    for (const callback of callbacks) raiseCallback(callback, all, all)
    if (isHolder(made)) raiseLabel(made, all | CHOSEN)
  }
  if (isGuarded || (pc & IN_TRY) === 0) live.pc = pc
  live.label = all
  noteMayThrow()
  live.label = outer | (all & ~CHOSEN)
  return made
}
