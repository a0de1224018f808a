import { COST } from '../meter/cost.ts'
import { burn, charge, live } from '../meter/live.ts'
import { limitStop, refused } from '../meter/stop.ts'
import { GuestRegExp } from './collections.ts'
import { receiverOf, toKey, toNumber } from './convert.ts'
import type { Guest } from './guest.ts'
import { GuestArray, ITEM_BYTES } from './guest-array.ts'
import { GuestFunction } from './guest-function.ts'
import { GuestError, GuestObject, isIndexKey } from './guest-object.ts'
import { GuestTyped } from './native/guest-bytes.ts'
import { GuestNative } from './native/guest-native.ts'
import { assignProperty, assignStatic, hasProperty, inheritedFrom, ownOf } from './prototypes/lookup.ts'
import { pushItem } from './property.ts'
import { touchKey } from './text/text.ts'
import { thrown } from './thrown.ts'

/** Sets a property by a constant name. */
export function setNamed(target: Guest, key: string, value: Guest): Guest {
  if (target instanceof GuestObject) {
    if (target.extra !== null) return setInExtra(target, key, value)
    if (target instanceof GuestError && setErrorProperty(target, key, value)) return value
    if (!target.set(key, value)) throw readOnly(target, key)
  } else setElsewhere(target, key, value)
  return value
}

/** Sets a property of an object with a prototype, accessors or restrictions. */
function setInExtra(target: GuestObject, key: string, value: Guest): Guest {
  const isOfError = target instanceof GuestError && !hasAccessor(target, key) && setErrorProperty(target, key, value)
  if (!isOfError && !assignProperty(target, key, value)) throw readOnly(target, key)
  return value
}

function hasAccessor(target: GuestObject, key: string): boolean {
  const holder = target.has(key) ? target : inheritedFrom(target, key)
  return holder?.accessor(key) !== undefined
}

/** Makes an own property of an object of a class, as its fields do: setters do not run. */
export function defineNamed(target: Guest, key: string, value: Guest): Guest {
  if (target instanceof GuestObject) {
    if (target instanceof GuestError && setErrorProperty(target, key, value)) return value
    if (target.accessor(key) !== undefined) target.toDictionary().delete(key)
    if (!target.set(key, value)) throw readOnly(target, key)
    target.extra?.hidden?.delete(key)
  } else if (target instanceof GuestFunction) {
    const own = ownOf(target)
    if (own.extra !== null && own.accessor(key) !== undefined) own.toDictionary().delete(key)
    if (key === 'prototype' || !own.set(key, value)) throw thrown('TypeError', `Cannot redefine property: ${key}`)
    own.extra?.hidden?.delete(key)
  } else setElsewhere(target, key, value)
  return value
}

function setErrorProperty(error: GuestError, key: string, value: Guest): boolean {
  if (typeof value !== 'string' || error.integrity !== 0) return false
  // An assigned `name` becomes an own property of the error; `message` is one from the start, but not enumerable.
  if (key === 'name') error.name = value
  if (key !== 'message' || error.has(key)) return false
  error.message = value
  return true
}

function readOnly(target: GuestObject, key: string): unknown {
  if (hasAccessor(target, key))
    return thrown('TypeError', `Cannot set property ${key} of #<Object> which has only a getter`)
  return hasProperty(target, key)
    ? thrown('TypeError', `Cannot assign to read only property '${key}' of object`)
    : thrown('TypeError', `Cannot add property ${key}, object is not extensible`)
}

function setElsewhere(target: Guest, key: string, value: Guest): void {
  if (target === null || target === undefined)
    throw thrown('TypeError', `Cannot set properties of ${target} (setting '${key}')`)
  if (target instanceof GuestArray) {
    if (key === 'length') return setLength(target, value)
    if (isIndexKey(key)) return setItem(target, Number(key), value)
  }
  if (target instanceof GuestRegExp && key === 'lastIndex') {
    if (typeof value !== 'number') throw refused('`lastIndex` takes a number: write Number(value).')
    target.lastIndex = value
    return
  }
  if (target instanceof GuestNative && target.write(key, value)) return
  if (target instanceof GuestFunction) {
    if (!assignStatic(target, key, value))
      throw thrown('TypeError', `Cannot assign to read only property '${key}' of function`)
    return
  }
  const message = `Cannot set property '${key}' of a ${receiverOf(target)!}. Only objects take new properties.`
  // Other engines throw for texts, numbers and booleans only.
  throw typeof target === 'object' ? refused(message) : thrown('TypeError', message)
}

function setLength(target: GuestArray, value: Guest): void {
  const length = toNumber(value)
  if (target.isFrozen) throw thrown('TypeError', "Cannot assign to read only property 'length' of object")
  if (!Number.isInteger(length) || length < 0) throw thrown('RangeError', 'Invalid array length')
  if (length <= target.items.length) target.items.length = length
  else lengthen(target, length)
}

/** Extends a list with holes, charged like items. */
export function lengthen(target: GuestArray, length: number): void {
  const { items } = target
  if (length > live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)
  charge((length - items.length) * ITEM_BYTES)
  burn((length - items.length) * 10)
  items.length = length
  target.hasGaps = true
}

/** Sets an item of a list by its index, which may be the next one or further. */
export function setItem(target: GuestArray, index: number, value: Guest): void {
  const { items } = target
  if (target.isFrozen) throw thrown('TypeError', `Cannot assign to read only property '${index}' of object`)
  if (index >= 0 && index < items.length && Number.isInteger(index)) {
    items[index] = value
    return
  }
  if (!Number.isInteger(index) || index < 0)
    throw refused(`Cannot set item ${index} of a list. Items have whole numbers from 0 up.`)
  if (index === items.length) return pushItem(target, value)
  // Extends first, then sets the item: V8 would turn a list with an item far beyond its end into a dictionary.
  lengthen(target, index + 1)
  items[index] = value
}

/** Sets a property by a computed key. */
export function setKeyed(target: Guest, key: Guest, value: Guest): Guest {
  if (target instanceof GuestArray && typeof key === 'number') setItem(target, key, value)
  else if (target instanceof GuestObject && !(target instanceof GuestError)) {
    const name = toKey(key)
    touchKey(name)
    if (target.extra !== null) return setInExtra(target, name, value)
    if (!target.setComputed(name, value)) throw readOnly(target, name)
  } else if (target instanceof GuestTyped && typeof key === 'number') target.put(key, value)
  else setNamed(target, toKey(key), value)
  return value
}

/** `delete target[key]`. */
export function deleteKey(target: Guest, key: Guest): boolean {
  burn(COST.node)
  const name = toKey(key)
  touchKey(name)
  if (target instanceof GuestObject) {
    if (target.delete(name)) return true
    throw thrown('TypeError', `Cannot delete property '${name}' of object`)
  }
  if (target === null || target === undefined) throw thrown('TypeError', `Cannot convert undefined or null to object`)
  if (target instanceof GuestFunction && target.own !== null && name !== 'prototype') {
    if (target.own.delete(name)) return true
    throw thrown('TypeError', `Cannot delete property '${name}' of function`)
  }
  if (target instanceof GuestArray) return deleteItem(target, name)
  throw refused(`Cannot delete '${name}' of a ${receiverOf(target)!}. Only objects and lists lose properties.`)
}

function deleteItem(target: GuestArray, name: string): boolean {
  const { items, named } = target
  if (isIndexKey(name)) {
    if (!(name in items)) return true
    if (target.isFrozen) throw thrown('TypeError', `Cannot delete property '${name}' of object`)
    Reflect.deleteProperty(items, name)
    target.hasGaps = true
    return true
  }
  if (name === 'length') throw thrown('TypeError', "Cannot delete property 'length' of object")
  if (named === null || !named.has(name)) return true
  if (target.isFrozen) throw thrown('TypeError', `Cannot delete property '${name}' of object`)
  return named.delete(name)
}
