import { chargeList } from '../meter/live.ts'
import { receiverOf } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { touch } from '../value/text/text.ts'
import { thrown } from '../value/thrown.ts'

/** Items of something that changes while a loop goes through them. */
export abstract class LiveItems extends GuestArray {
  abstract readonly source: Guest
  /** Adds what has come since; `false` when nothing has. */
  abstract more(): boolean
  /** Whether a key is still there. */
  abstract holds(key: Guest): boolean
  /** What a loop sees for a key. */
  abstract itemFor(key: Guest): Guest
}

/** What a loop of a JSON program goes through: a list itself (so that it sees what is added meanwhile), or the characters of a text. */
export function itemsOf(value: Guest): GuestArray {
  if (value instanceof GuestArray) return value
  if (typeof value !== 'string') throw notIterable(value)
  touch(value)
  chargeList(value.length)
  return new GuestArray(Array.from(value))
}

/** Whether a loop is at its end, after what was added meanwhile. */
export function isAtEnd(list: GuestArray, index: number): boolean {
  return index >= list.items.length && !(list instanceof LiveItems && list.more())
}

/** What to throw for a loop over something without items. */
export function notIterable(value: Guest): unknown {
  const what = typeof value === 'object' && value !== null ? (receiverOf(value) ?? 'object') : String(value)
  return thrown('TypeError', `${what} is not iterable`)
}
