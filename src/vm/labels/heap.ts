import { burn, live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestMap, GuestSet } from '../value/collections.ts'
import { toKey } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { Box, GuestFunction } from '../value/guest-function.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import { GuestPromise } from '../value/guest-promise.ts'
import type { HeapLabel } from '../value/heap-label.ts'
import { GuestNative } from '../value/native/guest-native.ts'
import { Accessor } from '../value/prototypes/extra.ts'
import { CHOSEN } from './bits.ts'

/** A heap value that carries labels for itself and its parts. */
export interface Holder {
  label: HeapLabel
}

export function isHolder(value: unknown): value is Holder {
  if (value instanceof GuestObject || value instanceof GuestArray) return true
  // The labels of a function are those of its properties: captured variables carry their own. Built-ins are shared by all programs.
  if (value instanceof BuiltinFunction) return false
  return typeof value === 'object' && value !== null && 'label' in value
}

/** Returns the label of the structure: the set, number and order of the keys. */
export function structureLabel({ label }: Holder): number {
  return typeof label === 'number' ? label : label.whole
}

export function totalLabel({ label }: Holder): number {
  return typeof label === 'number' ? label : label.whole | label.all
}

export function partLabel({ label }: Holder, key: string | number): number {
  if (typeof label === 'number') return label
  const { parts, items } = label
  return (typeof key === 'number' ? items[key] : parts.get(key)) ?? label.whole
}

/** Returns the label of an inherited property: that of the prototypes up to the one that has it. */
export function inheritedLabel(object: GuestObject, key: string): number {
  let bits = 0
  for (let one = object.extra?.proto ?? null; one !== null; one = one.extra?.proto ?? null) {
    bits |= partLabel(one, key)
    if (one.has(key)) break
  }
  return bits
}

/** Joins a label into the structure and into every part. */
export function raiseLabel(holder: Holder, bits: number): void {
  const { label } = holder
  if (typeof label === 'number') holder.label = label | bits
  else {
    label.whole |= bits
    label.all |= bits
    if ((label.low & bits) === bits) return
    label.low |= bits
    for (const [key, part] of label.parts) label.parts.set(key, part | bits)
    for (let i = 0; i < label.items.length; i++) if (label.items[i] !== undefined) label.items[i]! |= bits
  }
}

/** Merges the part labels into one, because a mutation has moved the parts. */
export function mergePartLabels(holder: Holder): void {
  if (typeof holder.label !== 'number') holder.label = totalLabel(holder)
}

export function setPartLabel(holder: Holder, key: string | number, given: number): void {
  const bits = live.laterLabel === 0 ? given : given | (partLabel(holder, key) & live.laterLabel)
  let { label } = holder
  if (typeof label === 'number') {
    if (label === bits) return
    // Parts of an object of the platform depend on one another: a URL's `href` on its `search`.
    if (holder instanceof GuestNative) return raiseLabel(holder, bits)
    label = { whole: label, all: bits, low: bits, parts: new Map(), items: [] }
    holder.label = label
  }
  label.all |= bits
  label.low &= bits
  if (typeof key !== 'number') return void label.parts.set(key, bits)
  while (label.items.length < key) label.items.push(undefined)
  label.items[key] = bits
}

/** Copies labels for a copy whose parts keep their keys. */
export function copyLabel(label: HeapLabel): HeapLabel {
  return typeof label === 'number' ? label : { ...label, parts: new Map(label.parts), items: [...label.items] }
}

/** The key of a part; items of lists are keyed by number. */
export function partKey(holder: unknown, key: Guest): string | number {
  if (typeof key === 'number') return holder instanceof GuestArray ? key : String(key)
  const name = typeof key === 'string' ? key : toKey(key)
  return holder instanceof GuestArray && /^\d{1,9}$/.test(name) ? Number(name) : name
}

function contents(value: object): Iterable<unknown> {
  if (value instanceof GuestArray) return value.named === null ? value.items : [...value.items, value.named]
  if (value instanceof GuestError) return [...(value.dict?.values() ?? value.slots), value.cause, value.errors]
  if (value instanceof GuestObject) return value.dict?.values() ?? value.slots
  if (value instanceof GuestFunction) return value.own === null ? [] : contents(value.own)
  if (value instanceof Accessor) return [value.get, value.set]
  if (value instanceof GuestMap) return [...value.entries].flat()
  if (value instanceof GuestNative) return value.held()
  return value instanceof GuestSet ? value.values : []
}

/** Visits every labelled value reachable from a value once; the traversal costs fuel. */
function visitReachable(value: unknown, visit: (holder: Holder) => void, intoFunctions: boolean): void {
  if (typeof value !== 'object' || value === null) return
  const seen = new Set<unknown>([value])
  for (const found of seen) {
    burn(20)
    if (found instanceof Box) {
      visit(found)
      if (typeof found.value === 'object' && found.value !== null) seen.add(found.value)
      continue
    }
    if (found instanceof GuestFunction && intoFunctions) for (const box of found.boxes) seen.add(box)
    // References that are not properties are reachable by writes, but are not content.
    if (found instanceof GuestObject && found.extra !== null && intoFunctions)
      for (const part of [found.extra.proto, found.extra.privates]) if (part !== null) seen.add(part)
    if (isHolder(found)) visit(found)
    for (const inside of contents(found as object)) if (typeof inside === 'object' && inside !== null) seen.add(inside)
  }
}

/** The join of all labels reachable from a value. */
export function deepLabel(value: unknown): number {
  let bits = 0
  visitReachable(value, (holder) => void (bits |= totalLabel(holder)), false)
  return typeof value === 'object' && value !== null ? bits | live.heapFloor : bits
}

/**
 * Returns the join of all labels of what code can access through a value, including through functions, prototypes and private properties. `ofUnseen` is the
 * label for what is not traversed: the frames of generators, and the values of settled promises.
 */
export function reachableLabel(value: unknown, ofUnseen: number): number {
  let bits = 0
  const visit = (holder: Holder): void => {
    const isUnseen =
      holder instanceof GuestPromise || (holder instanceof GuestNative && holder.receiver.endsWith('generator'))
    bits |= isUnseen ? ofUnseen : totalLabel(holder)
  }
  visitReachable(value, visit, true)
  return bits
}

/** Whether the running built-in reads the contents of what its callback returns. */
export const callbackResults: { areInspected: boolean } = { areInspected: false }

/** Joins a label into everything reachable from a value. */
export function raiseDeep(value: unknown, bits: number, intoFunctions = true): void {
  visitReachable(value, (holder) => raiseLabel(holder, bits), intoFunctions)
}

/** The holder from which a labelled key just selected a reference, if known: set by the read, used by a write through that reference. */
export const lastChoice: { holder: Holder | undefined } = { holder: undefined }

/** Records that the reference just read is one of the parts of `holder`, unless the holder or its parts were themselves selected by labelled data. */
export function noteChoice(holder: unknown, referenceLabel: number): void {
  const isOne =
    (holder instanceof GuestObject || holder instanceof GuestArray) &&
    ((referenceLabel | totalLabel(holder)) & CHOSEN) === 0
  lastChoice.holder = isOne ? holder : undefined
}

/** After a write through a selected reference: raises every part of the holder it was selected from, or the whole heap when that is unknown. */
export function raiseAlternatives(from: Holder | undefined, bits: number): void {
  if (from === undefined) live.heapFloor |= bits
  else for (const other of contents(from)) if (isHolder(other)) raiseLabel(other, bits)
}

/** A write to the heap with the label of the value and of the reference. */
interface HeapWrite {
  readonly key: Guest
  readonly value: Guest
  readonly bits: number
  readonly referenceLabel: number
  /** A fresh value was stored where no reference was before. */
  readonly isNew?: boolean
}

/** Whether a part already has exactly this label. */
export function hasPartLabel({ label }: Holder, name: string, bits: number): boolean {
  return typeof label === 'number' ? label === bits : label.parts.get(name) === bits
}

/** Labels the part that a write has set. */
export function labelWrite(holder: Guest, { key, value, bits, referenceLabel, isNew }: HeapWrite): void {
  if (!isHolder(holder)) return
  const context = referenceLabel | (live.pc & (CHOSEN - 1))
  // Labelled data selected the target object, so any object may have been written.
  if ((referenceLabel & CHOSEN) !== 0) live.heapFloor |= referenceLabel
  if (context !== 0) raiseLabel(holder, context)
  // The length belongs to the structure and is not a part.
  if (key === 'length' && holder instanceof GuestArray) return raiseLabel(holder, bits === 0 ? 0 : bits | CHOSEN)
  setPartLabel(holder, partKey(holder, key), bits | context)
  if (isNew !== true && typeof value === 'object' && value !== null && structureLabel(holder) !== 0)
    raiseLabel(holder, CHOSEN)
}
