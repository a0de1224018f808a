import { burn, charge, chargeString, live, outOfMemory } from '../meter/live.ts'
import { limitStop } from '../meter/stop.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray, ITEM_BYTES } from '../value/guest-array.ts'
import { GuestObject, OBJECT_BYTES, PROPERTY_BYTES } from '../value/guest-object.ts'
import { LONG_KEY } from '../value/keyed.ts'
import type { Shape } from '../value/shape.ts'
import { SHAPE_KEYS_MAX } from '../value/shape.ts'
import { thrown } from '../value/thrown.ts'

export const BORDER_DEPTH_MAX = 200

/**
 * Copies plain host data into the VM and charges for it. Anything else is refused, so that no host object is reachable from a program. Reads only own data
 * properties, never a getter.
 */
export function importValue(value: unknown): Guest {
  return copyIn(value, 0)
}

/** Separate `typeof` tests: V8 answers each without materialising the type name, which a `switch` would need. */
function copyIn(value: unknown, depth: number): Guest {
  if (typeof value === 'string') {
    chargeString(value.length)
    return value
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === undefined || value === null) return value
  if (typeof value !== 'object') throw refused(`a ${typeof value} is no data`)
  burn(20)
  if (depth >= BORDER_DEPTH_MAX) throw refused(`it is nested deeper than ${BORDER_DEPTH_MAX}, or holds itself`)
  return Array.isArray(value) ? copyList(value, depth) : copyRecord(value, depth)
}

function copyList(list: readonly unknown[], depth: number): GuestArray {
  const { length } = list
  if (length > live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)
  charge(48 + length * ITEM_BYTES)
  const items: Guest[] = []
  for (let i = 0; i < length; i++) {
    const item: unknown = list[i]
    items.push(typeof item === 'number' ? item : copyIn(item, depth + 1))
  }
  return new GuestArray(items)
}

function copyRecord(record: object, depth: number): GuestObject {
  const prototype: unknown = Object.getPrototypeOf(record)
  if (prototype !== Object.prototype && prototype !== null && !isForeignPlain(prototype))
    throw refused(`${nameOf(record)} is no plain data`)
  const keys = Object.keys(record)
  const { length } = keys
  if ((live.memory -= OBJECT_BYTES + length * PROPERTY_BYTES) < 0) outOfMemory()
  if ((live.fuel -= length * 20) < 0) live.machine.refuel()
  const shape = shapeOf(keys)
  if (shape === undefined) return copyTable(record, keys, depth)
  if (length === 0) return new GuestObject(shape, [])
  const slots = slotsFrom(copyMember(record, keys[0]!, depth), length)
  for (let i = 1; i < length; i++) slots[i] = copyMember(record, keys[i]!, depth)
  return new GuestObject(shape, slots)
}

/** Slots with the first one filled. Array literals for few: a growing array over-allocates. */
function slotsFrom(first: Guest, length: number): Guest[] {
  switch (length) {
    case 1:
      return [first]
    case 2:
      return [first, undefined]
    case 3:
      return [first, undefined, undefined]
    case 4:
      return [first, undefined, undefined, undefined]
    case 5:
      return [first, undefined, undefined, undefined, undefined]
    case 6:
      return [first, undefined, undefined, undefined, undefined, undefined]
    default: {
      const slots = [first]
      while (slots.length < length) slots.push(undefined)
      return slots
    }
  }
}

/** Refuses getters: they would run host code during the copy. */
function copyMember(record: object, key: string, depth: number): Guest {
  const property = Object.getOwnPropertyDescriptor(record, key)
  // Only data descriptors have `writable`.
  if (property?.writable === undefined) throw refused(`\`${key}\` is a getter`)
  const value: unknown = property.value
  if (typeof value === 'number') return value
  if (typeof value === 'function' && key === 'then') throw refused('a thenable is no data')
  return copyIn(value, depth + 1)
}

/** A plain object of another realm: its prototype ends the chain and is called Object. */
function isForeignPlain(prototype: unknown): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'hasOwnProperty')
}

function copyTable(record: object, keys: readonly string[], depth: number): GuestObject {
  const table = new GuestObject(live.root, [])
  const dict = table.toDictionary()
  for (const key of keys) {
    charge(key.length)
    if (key.length > LONG_KEY) throw refused(`a key has more than ${LONG_KEY} characters`)
    dict.set(key, copyMember(record, key, depth))
  }
  return table
}

function shapeOf(keys: readonly string[]): Shape | undefined {
  if (keys.length > SHAPE_KEYS_MAX) return undefined
  // Records of a list usually have the same shape: the last one is tried first.
  const last = live.lastShape
  if (last !== undefined && sameKeys(last.keys, keys)) return last
  let shape: Shape | undefined = live.root
  for (const key of keys) {
    if (key.length > LONG_KEY) throw refused(`a key has more than ${LONG_KEY} characters`)
    shape = shape?.add(key)
  }
  live.lastShape = shape
  return shape
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function nameOf(record: object): string {
  const tag = Object.prototype.toString.call(record)
  return tag.slice('[object '.length, -1)
}

function refused(why: string): unknown {
  return thrown('TypeError', `The value cannot enter the program: ${why}. Give plain JSON data.`)
}
