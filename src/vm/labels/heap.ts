import { burn, live } from '../meter/live.ts'
import { GuestMap, GuestSet } from '../value/collections.ts'
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
  return typeof value === 'object' && value !== null && 'label' in value && !(value instanceof GuestFunction)
}

/** Labels of what keys there are, how many and in what order. */
export function wholeOf({ label }: Holder): number {
  return typeof label === 'number' ? label : label.whole
}

export function allOf({ label }: Holder): number {
  return typeof label === 'number' ? label : label.whole | label.all
}

export function partOf({ label }: Holder, key: string | number): number {
  return typeof label === 'number' ? label : (label.parts.get(key) ?? label.whole)
}

/** Whatever is in it, and how much, now carries these as well. */
export function raise(holder: Holder, bits: number): void {
  const { label } = holder
  if (typeof label === 'number') holder.label = label | bits
  else {
    label.whole |= bits
    label.all |= bits
    for (const [key, part] of label.parts) label.parts.set(key, part | bits)
  }
}

/** Parts have moved: from now on each has the labels of all. */
export function blend(holder: Holder): void {
  if (typeof holder.label !== 'number') holder.label = allOf(holder)
}

export function setPart(holder: Holder, key: string | number, bits: number): void {
  const { label } = holder
  if (typeof label !== 'number') {
    label.parts.set(key, bits)
    label.all |= bits
  } else if (label !== bits) holder.label = { whole: label, all: bits, parts: new Map([[key, bits]]) }
}

/** The key of a part: items of lists by number. */
export function partKey(holder: unknown, key: Guest): string | number {
  if (typeof key === 'number') return holder instanceof GuestArray ? key : String(key)
  const name = String(key as string)
  return holder instanceof GuestArray && /^\d{1,9}$/.test(name) ? Number(name) : name
}

function insides(value: object): Iterable<unknown> {
  if (value instanceof GuestArray) return value.named === null ? value.items : [...value.items, value.named]
  if (value instanceof GuestError) return [...(value.dict?.values() ?? value.slots), value.cause, value.errors]
  if (value instanceof GuestObject) return value.dict?.values() ?? value.slots
  if (value instanceof GuestMap) return [...value.entries].flat()
  return value instanceof GuestSet ? value.values : []
}

/** Everything with labels that can be reached, each once; the program pays for the way. */
function reach(value: unknown, visit: (holder: Holder) => void, intoFunctions: boolean): void {
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
    for (const inside of insides(found as object)) if (typeof inside === 'object' && inside !== null) seen.add(inside)
  }
}

/** Labels of everything inside. */
export function deepOf(value: unknown): number {
  let bits = 0
  reach(value, (holder) => void (bits |= allOf(holder)), false)
  return typeof value === 'object' && value !== null ? bits | live.floor : bits
}

/** Everything that can be reached now carries these as well. */
export function raiseDeep(value: unknown, bits: number, intoFunctions = true): void {
  reach(value, (holder) => raise(holder, bits), intoFunctions)
}

/** Notes what a write put where: `lv` of the value, `lh` of the reference written through, `lk` of the key. */
export function notePut(holder: Guest, key: Guest, value: Guest, lv: number, through: number): void {
  if (!isHolder(holder)) return
  const led = through | (live.pc & (CHOSEN | (CHOSEN - 1)))
  // Which object was meant is decided by labelled things: any could have been written.
  if ((through & CHOSEN) !== 0) live.floor |= through
  if (led !== 0) raise(holder, led)
  setPart(holder, partKey(holder, key), lv | led)
  if (typeof value === 'object' && value !== null && wholeOf(holder) !== 0) raise(holder, CHOSEN)
}
