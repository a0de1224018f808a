import { chargeList } from '../../meter/live.ts'
import { receiverOf } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { touch } from '../../value/text/text.ts'
import { thrown } from '../../value/thrown.ts'

/** Items of a collection that may change during iteration. */
export abstract class LiveItems extends GuestArray {
  abstract readonly source: Guest
  /** Appends items added since; `false` if there are none. */
  abstract more(): boolean
  /** Whether a key still exists. */
  abstract holds(key: Guest): boolean
  /** The item of a key. */
  abstract itemFor(key: Guest): Guest
}

/** Returns what a loop of a JSON program iterates over: a list itself (so that added items are visited), or the characters of a text. */
export function itemsOf(value: Guest): GuestArray {
  if (value instanceof GuestArray) return value
  if (typeof value !== 'string') throw notIterable(value)
  touch(value)
  chargeList(value.length)
  return new GuestArray(Array.from(value))
}

/** Whether the iteration has ended, after taking added items into account. */
export function isAtEnd(list: GuestArray, index: number): boolean {
  return index >= list.items.length && !(list instanceof LiveItems && list.more())
}

/** The error for iterating something that is not iterable. */
function notIterable(value: Guest): unknown {
  const what = typeof value === 'object' && value !== null ? (receiverOf(value) ?? 'object') : String(value)
  return thrown('TypeError', `${what} is not iterable`)
}
