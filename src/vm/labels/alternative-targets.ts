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

/** Arguments as a call has them: the labels of each, and where they stand. */
interface GivenArguments {
  readonly bits: Readonly<ArgumentLabels>
  readonly site: Call | Method | New
}

/** Whether an argument could have been of a kind; behind what was spread it could have been any. */
function couldBe(kind: Kind, place: number, { args }: Call | Method | New, { codes }: Unit): boolean {
  const isSpread = args.slice(0, place + 1).some(({ k }) => k === 'spread')
  const node: Ex | undefined = isSpread ? args.find(({ k }) => k === 'spread') : args[place]
  return node !== undefined && mayBe(kind, node, codes)
}

/** Labels of an argument that was chosen, and could have been of a kind. */
function chosenLabelAt(kind: Kind, place: number, { bits, site }: GivenArguments, unit: Unit): number {
  const own = bits[place] ?? bits.absent ?? 0
  return isChosen(own) && couldBe(kind, place, site, unit) ? own : 0
}

/**
 * A built-in calls and writes some of what it is given, and does something else where that is of another kind: a text in the place of a
 * function, nothing in the place of either. What was chosen by labelled things could have been the one that acts, whatever it is now.
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

/** Functions that a built-in would call. */
export function noteAlternativeCallbacks(places: readonly number[], given: GivenArguments, unit: Unit): void {
  for (const place of places) {
    const own = chosenLabelAt('function', place, given, unit)
    if (own !== 0 && isImpure(unit)) live.heapFloor |= own
  }
}

/** The function that is called was chosen: another could have written what it was given, or called it. */
export function noteAlternativeTarget(
  { target, calleeLabel, receiver, receiverBits, values, bits, site }: LabelledCall,
  unit: Unit,
): void {
  if (!isChosen(calleeLabel)) return
  const isOwn = receiver === undefined || receiver instanceof GuestObject
  // What lists and texts have by name are built-ins, all of them; functions of the program look after this where they are called.
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

/** What `call` and `apply` call was chosen: another function could have written what it is given, or called it. */
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
