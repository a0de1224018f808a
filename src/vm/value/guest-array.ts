import { charge, chargeList } from '../meter/live.ts'
import type { Guest } from './guest.ts'
import type { HeapLabel } from './heap-label.ts'
import type { GuestObject } from './guest-object.ts'

/** Bytes of one item of a list. */
export const ITEM_BYTES = 16

/**
 * A list. A hole is a hole in `items` too, so that host array operations (move, cut, copy, fill) have
 * JavaScript semantics, and lists without holes cost nothing extra.
 */
export class GuestArray {
  readonly items: Guest[]
  /** Named properties, which only results of regular expressions have (`index`, `input`, `groups`). */
  named: GuestObject | null = null
  isFrozen = false
  /** Whether it ever had holes: V8 may store such a list as a dictionary, which is slower. */
  hasGaps = false
  /** Labels of the contents: one bit set, or per part; 0 is unlabelled. */
  label: HeapLabel = 0
  /** The heap count that visited it last. */
  mark = 0

  constructor(items: Guest[]) {
    this.items = items
  }
}

/** Makes a list of items that were already charged one by one, or none; `chargeList(n)` first for many. */
export function newArray(items: Guest[] = []): GuestArray {
  charge(48)
  return new GuestArray(items)
}

/** Makes a list, charging for all its items. */
export function newArrayOf(items: Guest[]): GuestArray {
  chargeList(items.length)
  return new GuestArray(items)
}

/** Makes a list of charged items that may have holes, taken from a list with holes. */
export function newPart(items: Guest[], { hasGaps }: GuestArray): GuestArray {
  const made = newArray(items)
  made.hasGaps = hasGaps
  return made
}

/** Returns a copy with holes read as `undefined`, as in loops and spreads; the caller charges for it. */
export function everyItem(items: readonly Guest[]): Guest[] {
  return [...items]
}
