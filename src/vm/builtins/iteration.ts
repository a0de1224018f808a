import { burn, chargeList } from '../meter/live.ts'
import { GuestMap, GuestSet } from '../value/collections.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray, newArray } from '../value/guest-array.ts'
import { touch } from '../value/text.ts'
import { thrown } from '../value/thrown.ts'
import { describe } from './reading.ts'

/** A pair as iteration gives it. */
export function pair(first: Guest, second: Guest): GuestArray {
  chargeList(2)
  return new GuestArray([first, second])
}

/** Everything an iterable gives, as a list that is paid for; texts give characters. */
export function itemsOf(value: Guest): Guest[] {
  if (value instanceof GuestArray) {
    chargeList(value.items.length)
    return value.items.slice()
  }
  if (typeof value === 'string') {
    touch(value)
    chargeList(value.length)
    return Array.from(value)
  }
  if (value instanceof GuestMap) {
    burn(value.entries.size * 10)
    return Array.from(value.entries, ([key, item]) => pair(key, item))
  }
  if (value instanceof GuestSet) {
    chargeList(value.values.size)
    return [...value.values]
  }
  throw thrown('TypeError', `${describe(value)} is not iterable`)
}

/** Whether `for … of` takes it. */
export function isIterable(value: Guest): boolean {
  return (
    typeof value === 'string' || value instanceof GuestArray || value instanceof GuestMap || value instanceof GuestSet
  )
}

/** What `keys()`, `values()` and `entries()` of lists give. */
export function listed(items: readonly Guest[], mode: 'keys' | 'values' | 'entries'): GuestArray {
  chargeList(items.length)
  if (mode === 'values') return newArray(items.slice())
  return newArray(items.map((item, index) => (mode === 'keys' ? index : pair(index, item))))
}
