import { burn, chargeList } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestMap, GuestSet } from '../value/collections.ts'
import { receiverOf } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray, newArrayOf } from '../value/guest-array.ts'
import { GuestObject } from '../value/guest-object.ts'
import { touch } from '../value/text.ts'
import { thrown } from '../value/thrown.ts'

/** What a loop goes through: a list itself (so that it sees what is added meanwhile), a copy for the others. */
export function iterate(value: Guest, ofKeys: boolean): GuestArray {
  if (ofKeys) return keysOf(value)
  return value instanceof GuestArray ? value : listOf(value)
}

/** A new list of the items of anything that can be gone through. */
export function listOf(value: Guest): GuestArray {
  if (value instanceof GuestArray) return newArrayOf(value.items.slice())
  if (typeof value === 'string') {
    touch(value)
    chargeList(value.length)
    return new GuestArray(Array.from(value))
  }
  if (value instanceof GuestSet) {
    chargeList(value.values.size)
    return new GuestArray([...value.values])
  }
  if (value instanceof GuestMap) {
    chargeList(value.entries.size * 4)
    return new GuestArray([...value.entries].map(([key, item]) => new GuestArray([key, item])))
  }
  throw thrown('TypeError', `${describe(value)} is not iterable`)
}

function describe(value: Guest): string {
  return typeof value === 'object' && value !== null ? (receiverOf(value) ?? 'object') : String(value)
}

function keysOf(value: Guest): GuestArray {
  if (value instanceof GuestObject) return newArrayOf(value.keys())
  if (value instanceof GuestArray || typeof value === 'string') {
    const { length } = value instanceof GuestArray ? value.items : value
    chargeList(length)
    return new GuestArray(Array.from({ length }, (_, index) => String(index)))
  }
  if (value instanceof BuiltinFunction) burn(100)
  return newArrayOf([])
}
