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
import type { Going } from './door.ts'
import type { Bits } from './entry.ts'
import { isImpure } from './rules/impurity.ts'
import { isHolder, raise, raiseDeep } from './heap.ts'
import { mayBe } from './held-labels.ts'
import type { Kind } from './held-labels.ts'
import { raiseCallback } from './raised-labels.ts'

/** Arguments as a call has them: the labels of each, and where they stand. */
interface Given {
  readonly bits: Readonly<Bits>
  readonly site: Call | Method | New
}

/** Whether an argument could have been of a kind; behind what was spread it could have been any. */
function couldBe(kind: Kind, place: number, { args }: Call | Method | New, { codes }: Unit): boolean {
  const isSpread = args.slice(0, place + 1).some(({ k }) => k === 'spread')
  const node: Ex | undefined = isSpread ? args.find(({ k }) => k === 'spread') : args[place]
  return node !== undefined && mayBe(kind, node, codes)
}

/** Labels of an argument that was chosen, and could have been of a kind. */
function chosenAt(kind: Kind, place: number, { bits, site }: Given, unit: Unit): number {
  const own = bits[place] ?? bits.beyond ?? 0
  return isChosen(own) && couldBe(kind, place, site, unit) ? own : 0
}

/**
 * A built-in calls and writes some of what it is given, and does something else where that is of another kind: a text in the place of a
 * function, nothing in the place of either. What was chosen by labelled things could have been the one that acts, whatever it is now.
 */
export function noteOthers(path: string, going: Going, unit: Unit): void {
  const { of, receiverBits, bits } = going
  if (isChosen(of)) noteOtherTarget(going, unit)
  let chosen = receiverBits | (bits.beyond ?? 0)
  for (let i = 0; i < bits.length; i++) chosen |= bits[i]!
  if (!isChosen(chosen)) return
  const name = path.slice(path.lastIndexOf('.') + 1)
  noteCalled(CALLED.get(name) ?? [], going, unit)
  if (PATTERNED.has(name)) live.floor |= chosenAt('pattern', 0, going, unit)
  if (STATIC_MUTATORS.has(path) && isChosen(bits[0] ?? 0)) live.floor |= bits[0]!
  if (path.startsWith('function.') && isChosen(receiverBits) && isImpure(unit)) live.floor |= receiverBits
}

/** Functions that a built-in would call. */
export function noteCalled(places: readonly number[], given: Given, unit: Unit): void {
  for (const place of places) {
    const own = chosenAt('function', place, given, unit)
    if (own !== 0 && isImpure(unit)) live.floor |= own
  }
}

/** The function that is called was chosen: another could have written what it was given, or called it. */
export function noteOtherTarget({ target, of, receiver, receiverBits, values, bits, site }: Going, unit: Unit): void {
  if (!isChosen(of)) return
  const isOwn = receiver === undefined || receiver instanceof GuestObject
  // What lists and texts have by name are built-ins, all of them; functions of the program look after this where they are called.
  if (isOwn && target instanceof BuiltinFunction && isImpure(unit)) live.floor |= of
  if (site.k !== 'method') return
  if (typeof site.name === 'string') {
    if (MUTATORS.has(site.name) && isChosen(receiverBits)) live.floor |= receiverBits
    return
  }
  noteGiven(receiver, receiverBits, of)
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value instanceof GuestFunction) raiseCallback(value, of, of)
    if (value instanceof GuestRegExp) raise(value, of)
    noteCalled([i], { bits, site }, unit)
    live.floor |= chosenAt('pattern', i, { bits, site }, unit)
  }
  if (receiver instanceof BuiltinFunction) noteGiven(values[0], bits[0] ?? 0, of)
}

/** What `call` and `apply` call was chosen: another function could have written what it is given, or called it. */
export function noteApplied({ receiverBits, values, bits }: Going): void {
  if (!isChosen(receiverBits)) return
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value instanceof GuestFunction) raiseCallback(value, receiverBits, receiverBits)
    else raiseDeep(value, receiverBits)
    if (isChosen(bits[i] ?? 0)) live.floor |= receiverBits | bits[i]!
  }
}

function noteGiven(value: Guest, own: number, of: number): void {
  if (isHolder(value)) raise(value, of)
  if (isChosen(own)) live.floor |= of | own
}
