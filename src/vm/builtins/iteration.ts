import { burn, chargeList, live } from '../meter/live.ts'
import { limitStop } from '../meter/stop.ts'
import { GuestMap, GuestSet } from '../value/collections.ts'
import { toNumber } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray, everyItem } from '../value/guest-array.ts'
import { iteratorOf } from '../machine/iteration/collection-iterator.ts'
import { cursorOf } from '../machine/iteration/cursors.ts'
import { allItems, nativeItems } from '../machine/iteration/iterate.ts'
import { ITERATOR } from '../value/symbols.ts'
import { GuestObject } from '../value/guest-object.ts'
import { GuestNative } from '../value/native/guest-native.ts'
import { readProperty } from '../value/prototypes/lookup.ts'
import { touch } from '../value/text/text.ts'
import { thrown } from '../value/thrown.ts'
import type { Rows } from './constructors.ts'
import { arrayOf, describe, toInteger } from './argument-reads.ts'
import { isIterableObject } from './iterators.ts'

/** A `[key, value]` pair. */
export function pair(first: Guest, second: Guest): GuestArray {
  chargeList(2)
  return new GuestArray([first, second])
}

/** The items of an iterable as a charged list; a text gives characters. */
export function itemsOf(value: Guest): Guest[] {
  if (value instanceof GuestArray) {
    chargeList(value.items.length)
    return everyItem(value.items)
  }
  if (typeof value === 'string') {
    touch(value)
    burn(value.length * 10)
    chargeList(value.length)
    return Array.from(value)
  }
  if (value instanceof GuestMap) {
    burn(value.entries.size * 60)
    return Array.from(value.entries, ([key, item]) => pair(key, item))
  }
  if (value instanceof GuestSet) {
    chargeList(value.values.size)
    return [...value.values]
  }
  if (value instanceof GuestNative && value.count !== undefined) return nativeItems(value)
  const cursor = cursorOf(value)
  if (cursor !== undefined) return allItems(cursor)
  throw thrown('TypeError', `${describe(value)} is not iterable`)
}

/** Whether `for … of` accepts it. */
export function isIterable(value: Guest): boolean {
  return (
    typeof value === 'string' ||
    value instanceof GuestArray ||
    value instanceof GuestMap ||
    value instanceof GuestSet ||
    (value instanceof GuestNative && value.count !== undefined) ||
    isIterableObject(value)
  )
}

/** Items of an iterable, or of an object with a `length`. */
export function arrayLikeItems(source: Guest): Guest[] {
  if (isIterable(source)) return itemsOf(source)
  if (source === null || source === undefined) throw thrown('TypeError', `${describe(source)} is not iterable`)
  if (!(source instanceof GuestObject)) return []
  const length = Math.min(Math.max(toInteger(toNumber(readProperty(source, 'length'))), 0), Number.MAX_SAFE_INTEGER)
  if (length > live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)
  chargeList(length)
  burn(length * 40)
  return Array.from({ length }, (_, index) => readProperty(source, String(index)))
}

/** Iterators over the indices and items of a list. */
export const arrayIterationRows: Rows = {
  entries: [0, (receiver) => iteratorOf(arrayOf(receiver, 'entries'), 'entries')],
  keys: [0, (receiver) => iteratorOf(arrayOf(receiver, 'keys'), 'keys')],
  values: [0, (receiver) => iteratorOf(arrayOf(receiver, 'values'))],
  [ITERATOR]: [0, (receiver) => iteratorOf(arrayOf(receiver, 'values'))],
}
