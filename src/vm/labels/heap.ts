import { burn, live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestMap, GuestSet } from '../value/collections.ts'
import { toKey } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { Box, GuestFunction } from '../value/guest-function.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import type { HeapLabel } from '../value/heap-label.ts'
import { CHOSEN } from './bits.ts'

/** Anything with labels of its own inside. */
export interface Holder {
  label: HeapLabel
}

export function isHolder(value: unknown): value is Holder {
  if (value instanceof GuestObject || value instanceof GuestArray) return true
  // Functions hold nothing but their boxes, and those of the table are shared by all.
  if (value instanceof GuestFunction || value instanceof BuiltinFunction) return false
  return typeof value === 'object' && value !== null && 'label' in value
}

/** Labels of what keys there are, how many and in what order. */
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

/** Whatever is in it, and how much, now carries these as well. */
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

/** Parts have moved: from now on each has the labels of all. */
export function mergePartLabels(holder: Holder): void {
  if (typeof holder.label !== 'number') holder.label = totalLabel(holder)
}

export function setPartLabel(holder: Holder, key: string | number, bits: number): void {
  let { label } = holder
  if (typeof label === 'number') {
    if (label === bits) return
    label = { whole: label, all: bits, low: bits, parts: new Map(), items: [] }
    holder.label = label
  }
  label.all |= bits
  label.low &= bits
  if (typeof key !== 'number') return void label.parts.set(key, bits)
  while (label.items.length < key) label.items.push(undefined)
  label.items[key] = bits
}

/** A copy whose parts stand where they stood. */
export function copyLabel(label: HeapLabel): HeapLabel {
  return typeof label === 'number' ? label : { ...label, parts: new Map(label.parts), items: [...label.items] }
}

/** The key of a part: items of lists by number. */
export function partKey(holder: unknown, key: Guest): string | number {
  if (typeof key === 'number') return holder instanceof GuestArray ? key : String(key)
  const name = typeof key === 'string' ? key : toKey(key)
  return holder instanceof GuestArray && /^\d{1,9}$/.test(name) ? Number(name) : name
}

function contents(value: object): Iterable<unknown> {
  if (value instanceof GuestArray) return value.named === null ? value.items : [...value.items, value.named]
  if (value instanceof GuestError) return [...(value.dict?.values() ?? value.slots), value.cause, value.errors]
  if (value instanceof GuestObject) return value.dict?.values() ?? value.slots
  if (value instanceof GuestMap) return [...value.entries].flat()
  return value instanceof GuestSet ? value.values : []
}

/** Everything with labels that can be reached, each once; the program pays for the way. */
function visitReachable(value: unknown, visit: (holder: Holder) => void, intoFunctions: boolean): void {
  if (typeof value !== 'object' || value === null) return
  const seen = new Set<unknown>([value])
  for (const found of seen) {
    burn(20)
    if (found instanceof GuestFunction || found instanceof Box) {
      if (!intoFunctions) continue
      if (found instanceof Box) visit(found)
      for (const box of found instanceof Box ? [found.value] : found.boxes)
        if (typeof box === 'object' && box !== null) seen.add(box)
      continue
    }
    if (isHolder(found)) visit(found)
    for (const inside of contents(found as object)) if (typeof inside === 'object' && inside !== null) seen.add(inside)
  }
}

/** Labels of everything inside. */
export function deepLabel(value: unknown): number {
  let bits = 0
  visitReachable(value, (holder) => void (bits |= totalLabel(holder)), false)
  return typeof value === 'object' && value !== null ? bits | live.heapFloor : bits
}

/** Whether the built-in that is running makes something of what is inside of what it is given back. */
export const callbackResults: { areInspected: boolean } = { areInspected: false }

/** Everything that can be reached now carries these as well. */
export function raiseDeep(value: unknown, bits: number, intoFunctions = true): void {
  visitReachable(value, (holder) => raiseLabel(holder, bits), intoFunctions)
}

/** What a reference was chosen from by a key alone, if that is so: set by what read it, for what writes through it at once. */
export const lastChoice: { holder: Holder | undefined } = { holder: undefined }

/** Notes that the reference that was just read is one of the things in a holder, which are the same whatever the key was. */
export function noteChoice(holder: unknown, referenceLabel: number): void {
  const isOne =
    (holder instanceof GuestObject || holder instanceof GuestArray) &&
    ((referenceLabel | totalLabel(holder)) & CHOSEN) === 0
  lastChoice.holder = isOne ? holder : undefined
}

/** Something was written through a reference that was chosen: it may have been any other that is in the same holder, else any at all. */
export function raiseAlternatives(from: Holder | undefined, bits: number): void {
  if (from === undefined) live.heapFloor |= bits
  else for (const other of contents(from)) if (isHolder(other)) raiseLabel(other, bits)
}

/** A write: what was put where, with its labels and those of the reference it went through. */
export interface HeapWrite {
  readonly key: Guest
  readonly value: Guest
  readonly bits: number
  readonly referenceLabel: number
  /** It is new, and where it was put no reference was. */
  readonly isNew?: boolean
}

/** Whether a part has just these labels already. */
export function hasPartLabel({ label }: Holder, name: string, bits: number): boolean {
  return typeof label === 'number' ? label === bits : label.parts.get(name) === bits
}

/** Notes what a write put into something. */
export function labelWrite(holder: Guest, { key, value, bits, referenceLabel, isNew }: HeapWrite): void {
  if (!isHolder(holder)) return
  const context = referenceLabel | (live.pc & (CHOSEN - 1))
  // Which object was meant is decided by labelled things: any could have been written.
  if ((referenceLabel & CHOSEN) !== 0) live.heapFloor |= referenceLabel
  if (context !== 0) raiseLabel(holder, context)
  // How many items there are is no part like the others.
  if (key === 'length' && holder instanceof GuestArray) return raiseLabel(holder, bits === 0 ? 0 : bits | CHOSEN)
  setPartLabel(holder, partKey(holder, key), bits | context)
  if (isNew !== true && typeof value === 'object' && value !== null && structureLabel(holder) !== 0)
    raiseLabel(holder, CHOSEN)
}
