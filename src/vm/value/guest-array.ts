import { charge, chargeList } from '../meter/live.ts'
import type { Guest } from './guest.ts'
import type { HeapLabel } from './heap-label.ts'
import type { GuestObject } from './guest-object.ts'

/** Bytes of one item of a list. */
export const ITEM_BYTES = 16

/**
 * A list. An item that is missing is missing from `items` too, so that what the host does to its lists (move, cut, copy,
 * fill) is what the language says, reading one that is missing gives `undefined`, and lists without gaps pay nothing.
 */
export class GuestArray {
  readonly items: Guest[]
  /** Named properties, which only results of regular expressions have (`index`, `input`, `groups`). */
  named: GuestObject | null = null
  isFrozen = false
  /** Whether items were ever missing: the host may keep such a list in a table, and is then slower to move its items. */
  hasGaps = false
  /** Labels of what is inside, as bits, or part by part; 0 is clean. */
  label: HeapLabel = 0
  /** The count of memory that met it last. */
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

/** Makes a list of items that were already charged, of which some may be missing where they come from one with gaps. */
export function newPart(items: Guest[], { hasGaps }: GuestArray): GuestArray {
  const made = newArray(items)
  made.hasGaps = hasGaps
  return made
}

/** A copy in which every item is there, as loops and spread see them; the caller pays. */
export function everyItem(items: readonly Guest[]): Guest[] {
  return [...items]
}
