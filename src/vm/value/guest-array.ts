import { charge, chargeList } from '../meter/live.ts'
import type { Guest } from './guest.ts'
import type { HeapLabel } from './heap-label.ts'
import type { GuestObject } from './guest-object.ts'

/** Bytes of one item of a list. */
export const ITEM_BYTES = 16

/** A list without holes. */
export class GuestArray {
  readonly items: Guest[]
  /** Named properties, which only results of regular expressions have (`index`, `input`, `groups`). */
  named: GuestObject | null = null
  isFrozen = false
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
