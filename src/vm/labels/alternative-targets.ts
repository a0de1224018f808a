import { allCodes } from '../compile/emit/emitter.ts'
import type { Unit } from '../compile/emit/emitter.ts'
import type { Call, Ex, Method, New } from '../compile/ir.ts'
import { live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestRegExp } from '../value/collections.ts'
import type { Guest } from '../value/guest.ts'
import { GuestFunction } from '../value/guest-function.ts'
import { GuestObject } from '../value/guest-object.ts'
import { isChosen } from './bits.ts'
import { CALLED, MUTATORS, PATTERNED, STATIC_MUTATORS } from './rules/builtin-flows.ts'
import type { LabelledCall } from './labelled-call.ts'
import type { ArgumentLabels } from './function-entry.ts'
import { isImpure } from './rules/purity.ts'
import { isHolder, raiseLabel, raiseDeep } from './heap.ts'
import { mayBe } from './value-kinds.ts'
import type { Kind } from './value-kinds.ts'
import { raiseCallback } from './raise-effects.ts'

/** The arguments of a call: their labels and their nodes in the program. */
interface GivenArguments {
  readonly bits: Readonly<ArgumentLabels>
  readonly site: Call | Method | New
}

/** Whether an argument may have been of a kind in another execution. After a spread argument, positions are unknown, so any may be. */
function couldBe(kind: Kind, place: number, { args }: Call | Method | New, unit: Unit): boolean {
  const isSpread = args.slice(0, place + 1).some(({ k }) => k === 'spread')
  const node: Ex | undefined = isSpread ? args.find(({ k }) => k === 'spread') : args[place]
  return node !== undefined && mayBe(kind, node, allCodes(unit))
}

/** The label of an argument whose identity depends on labelled data and that may have been of the kind; else 0. */
function chosenLabelAt(kind: Kind, place: number, { bits, site }: GivenArguments, unit: Unit): number {
  const own = bits[place] ?? bits.absent ?? 0
  return isChosen(own) && couldBe(kind, place, site, unit) ? own : 0
}

/**
 * What a built-in does depends on the kinds of its arguments: it calls a function, writes through a reference, and only reads a text. An argument
 * that labelled data selected may have been the kind that acts in another execution, so its label is raised whatever the argument is in this one.
 */
export function noteAlternatives(path: string, call: LabelledCall, unit: Unit): void {
  const { calleeLabel, receiverBits, bits } = call
  if (isChosen(calleeLabel)) noteAlternativeTarget(call, unit)
  let chosen = receiverBits | (bits.absent ?? 0)
  for (let i = 0; i < bits.length; i++) chosen |= bits[i]!
  if (!isChosen(chosen)) return
  const name = path.slice(path.lastIndexOf('.') + 1)
  noteAlternativeCallbacks(CALLED.get(name) ?? [], call, unit)
  if (PATTERNED.has(name)) live.heapFloor |= chosenLabelAt('pattern', 0, call, unit)
  if (STATIC_MUTATORS.has(path) && isChosen(bits[0] ?? 0)) live.heapFloor |= bits[0]!
  if (path.startsWith('function.') && isChosen(receiverBits) && isImpure(unit)) live.heapFloor |= receiverBits
}

/** Raises for arguments that the built-in would call if they were functions. */
export function noteAlternativeCallbacks(places: readonly number[], given: GivenArguments, unit: Unit): void {
  for (const place of places) {
    const own = chosenLabelAt('function', place, given, unit)
    if (own !== 0 && isImpure(unit)) live.heapFloor |= own
  }
}

/** Labelled data selected the callee: another one may have written or called its arguments. */
export function noteAlternativeTarget(
  { target, calleeLabel, receiver, receiverBits, values, bits, site }: LabelledCall,
  unit: Unit,
): void {
  if (!isChosen(calleeLabel)) return
  const isOwn = receiver === undefined || receiver instanceof GuestObject || receiver instanceof GuestFunction
  // Methods of lists and texts are always built-ins. Functions of the program are handled at their own call.
  if (isOwn && target instanceof BuiltinFunction && isImpure(unit)) live.heapFloor |= calleeLabel
  if (site.k !== 'method') return
  if (typeof site.name === 'string') {
    if (MUTATORS.has(site.name) && isChosen(receiverBits)) live.heapFloor |= receiverBits
    return
  }
  noteAlternativeWrite(receiver, receiverBits, calleeLabel)
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value instanceof GuestFunction) raiseCallback(value, calleeLabel, calleeLabel)
    if (value instanceof GuestRegExp) raiseLabel(value, calleeLabel)
    noteAlternativeCallbacks([i], { bits, site }, unit)
    live.heapFloor |= chosenLabelAt('pattern', i, { bits, site }, unit)
  }
  if (receiver instanceof BuiltinFunction) noteAlternativeWrite(values[0], bits[0] ?? 0, calleeLabel)
}

/** Labelled data selected what `call` or `apply` calls: another function may have written or called the arguments. */
export function noteAlternativeApply({ receiverBits, values, bits }: LabelledCall): void {
  if (!isChosen(receiverBits)) return
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value instanceof GuestFunction) raiseCallback(value, receiverBits, receiverBits)
    else raiseDeep(value, receiverBits)
    if (isChosen(bits[i] ?? 0)) live.heapFloor |= receiverBits | bits[i]!
  }
}

function noteAlternativeWrite(value: Guest, own: number, calleeLabel: number): void {
  if (isHolder(value)) raiseLabel(value, calleeLabel)
  if (isChosen(own)) live.heapFloor |= calleeLabel | own
}
