import { nativeItems } from '../machine/iterate.ts'
import { burn, chargeList, live } from '../meter/live.ts'
import { limitStop } from '../meter/stop.ts'
import { GuestMap, GuestSet } from '../value/collections.ts'
import { toNumber } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray, everyItem, newArray } from '../value/guest-array.ts'
import { GuestObject, newObject } from '../value/guest-object.ts'
import { type IteratorMode, ListIterator, iteratorOf } from '../value/list-iterator.ts'
import { GuestNative } from '../value/native/guest-native.ts'
import { touch } from '../value/text/text.ts'
import { thrown } from '../value/thrown.ts'
import type { Rows } from './constructors.ts'
import { describe, toInteger } from './argument-reads.ts'

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
  throw thrown('TypeError', `${describe(value)} is not iterable`)
}

/** Whether `for … of` takes it. */
export function isIterable(value: Guest): boolean {
  return (
    typeof value === 'string' ||
    value instanceof GuestArray ||
    value instanceof GuestMap ||
    value instanceof GuestSet ||
    (value instanceof GuestNative && value.count !== undefined)
  )
}

/** Items of an iterable, or of an object with a `length`. */
export function arrayLikeItems(source: Guest): Guest[] {
  if (isIterable(source)) return itemsOf(source)
  if (source === null || source === undefined) throw thrown('TypeError', `${describe(source)} is not iterable`)
  if (!(source instanceof GuestObject)) return []
  const length = Math.min(Math.max(toInteger(toNumber(source.get('length'))), 0), Number.MAX_SAFE_INTEGER)
  if (length > live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)
  chargeList(length)
  burn(length * 40)
  return Array.from({ length }, (_, index) => source.get(String(index)))
}

/** The iterators of `keys()`, `values()` and `entries()` of lists. */
export function listed(list: GuestArray, mode: IteratorMode): ListIterator {
  chargeList(list.items.length)
  const items = everyItem(list.items)
  if (mode === 'values') return iteratorOf(items, list, mode)
  return iteratorOf(
    items.map((item, index) => (mode === 'keys' ? index : pair(index, item))),
    list,
    mode,
  )
}

function iteratorReceiver(receiver: Guest, method: string): ListIterator {
  if (receiver instanceof ListIterator) return receiver
  throw thrown('TypeError', `${method} is not a function of ${describe(receiver)}`)
}

function next(receiver: Guest): Guest {
  const iterator = iteratorReceiver(receiver, 'next')
  iterator.source = null
  const { items } = iterator
  burn(items.length >> 3)
  const isDone = items.length === 0
  const step = newObject()
  step.set('value', items.shift())
  step.set('done', isDone)
  return step
}

/** Methods of iterators; they share the table of lists. */
export const iterationRows: Rows = {
  next: [0, next],
  toArray: [0, (receiver) => newArray(itemsOf(iteratorReceiver(receiver, 'toArray')))],
}
