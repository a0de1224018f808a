import { invoke2 } from '../../machine/invoke.ts'
import { burn, charge, chargeList } from '../../meter/live.ts'
import { isCallable, toNumber } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { type GuestArray, newArray } from '../../value/guest-array.ts'
import { thrown } from '../../value/thrown.ts'
import { changing } from './array-methods.ts'
import type { Rows } from '../constructors.ts'
import { arrayOf, textArgument } from '../argument-reads.ts'

/** Sorts a copy, stable, `undefined` last; the caller stores it. */
function sorted(items: readonly Guest[], compare: Guest): Guest[] {
  const { length } = items
  chargeList(length)
  burn(Math.ceil(length * Math.log2(length + 1)) * 10)
  // A copy: the function may change the list it sorts.
  if (compare !== undefined) return items.toSorted((a, b) => toNumber(invoke2(compare, a, b)))
  return sortedByText(items)
}

function sortedByText(items: readonly Guest[]): Guest[] {
  charge(items.length * 32)
  const present = items.filter((item) => item !== undefined)
  burn(present.length * 40)
  const keyed = present.map((item) => ({ item, key: textArgument(item) }))
  // Each comparison reads the common prefix of both keys, and each key is compared about log n times.
  let size = 0
  for (const { key } of keyed) size += key.length + 8
  burn(Math.ceil((size * Math.ceil(Math.log2(keyed.length + 1))) / 2))
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const result: Guest[] = keyed.map(({ item }) => item)
  while (result.length < items.length) result.push(undefined)
  return result
}

function comparator(fn: Guest): Guest {
  if (fn === undefined || isCallable(fn)) return fn
  throw thrown('TypeError', 'The comparison function must be either a function or undefined')
}

function sort(receiver: Guest, args: readonly Guest[]): Guest {
  const compare = comparator(args[0])
  const items = changing(receiver, 'sort')
  const { length } = items
  // Holes come last, and stay holes.
  const result = sorted((receiver as GuestArray).hasGaps ? items.filter(() => true) : items, compare)
  // The callback may have shortened the list: all sorted items are written back, as in JavaScript.
  for (let index = 0; index < result.length; index += 1) items[index] = result[index]
  for (let index = result.length; index < length; index += 1) Reflect.deleteProperty(items, index)
  return receiver
}

/** `sort` and `toSorted`. */
export const arraySortRows: Rows = {
  sort: [1, sort],
  toSorted: [
    1,
    (receiver, args) => {
      const compare = comparator(args[0])
      return newArray(sorted(arrayOf(receiver, 'toSorted').items, compare))
    },
  ],
}
