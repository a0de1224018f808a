import { burn, charge, chargeList } from '../meter/live.ts'
import { refused } from '../meter/stop.ts'
import { BuiltinFunction, listedMembers } from '../value/builtin-function.ts'
import { toKey, toText } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray, newArray } from '../value/guest-array.ts'
import { GuestFunction } from '../value/guest-function.ts'
import { GuestError, GuestObject, isIndexKey, newObject } from '../value/guest-object.ts'
import { GuestNative } from '../value/native/guest-native.ts'
import { checkGuard, newBare, ownOf, prototypeOf, readProperty } from '../value/prototypes/lookup.ts'
import { strictEquals } from '../value/operators.ts'
import { pushItem } from '../value/property.ts'
import { setKeyed } from '../value/set-member.ts'
import { touch, touchKey } from '../value/text/text.ts'
import { thrown } from '../value/thrown.ts'
import { itemCall } from './callbacks.ts'
import { itemsOf, pair } from './iteration.ts'
import { type Rows, functions, global, row } from './constructors.ts'
import { describe } from './argument-reads.ts'
import { propertyRows, prototypeRows } from './objects/properties.ts'

/** The own properties of any value, in JavaScript's order. */
function entriesOf(value: Guest): [string, Guest][] {
  if (value === null || value === undefined) throw thrown('TypeError', 'Cannot convert undefined or null to object')
  if (value instanceof GuestObject) {
    chargeList(value.size)
    burn(value.size * 40)
    charge(value.size * 64)
    return value.listKeys().map((key) => [key, value.get(key)])
  }
  if (value instanceof GuestArray) {
    chargeList(value.items.length)
    charge(value.items.length * 96)
    burn(value.items.length * 40)
    const own: [string, Guest][] = []
    value.items.forEach((item, index) => own.push([String(index), item]))
    return value.named === null ? own : [...own, ...entriesOf(value.named)]
  }
  if (value instanceof GuestNative && value.isIndexed) {
    const length = value.count!
    chargeList(length)
    charge(length * 96)
    burn(length * 40)
    return Array.from({ length }, (_, index) => [String(index), value.itemAt(index)])
  }
  if (value instanceof GuestFunction) return value.own === null ? [] : entriesOf(value.own)
  if (value instanceof BuiltinFunction) {
    const members = [...listedMembers(value)]
    chargeList(members.length)
    charge(members.length * 96)
    burn(members.length * 40)
    return members
  }
  if (typeof value !== 'string') return []
  touch(value)
  chargeList(value.length)
  charge(value.length * 48)
  burn(value.length * 40)
  return value.split('').map((char, index) => [String(index), char])
}

function assign(_: Guest, args: readonly Guest[]): Guest {
  const [target, ...sources] = args
  if (target === null || target === undefined) throw thrown('TypeError', 'Cannot convert undefined or null to object')
  if (typeof target !== 'object') throw refused('Object.assign needs an object to copy into')
  for (const source of sources) {
    if (source === null || source === undefined) continue
    for (const [key, value] of entriesOf(source)) {
      burn(60)
      setKeyed(target, key, value)
    }
    if (source instanceof GuestObject) for (const key of source.symbolKeys()) setKeyed(target, key, source.get(key))
  }
  return target
}

function fromEntries(_: Guest, args: readonly Guest[]): Guest {
  const result = newObject()
  for (const entry of itemsOf(args[0])) {
    burn(50)
    if (entry instanceof GuestArray) result.setComputed(keyText(entry.items[0]), entry.items[1])
    else if (entry instanceof GuestObject)
      result.setComputed(keyText(readProperty(entry, '0')), readProperty(entry, '1'))
    else throw thrown('TypeError', `Iterator value ${describe(entry)} is not an entry object`)
  }
  return result
}

function keyText(value: Guest): string {
  const key = typeof value === 'object' ? toText(value) : toKey(value)
  touchKey(key)
  return key
}

function freeze(value: Guest, level: 1 | 2): Guest {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof GuestFunction) {
    freeze(ownOf(value), level)
    return value
  }
  if (value instanceof GuestObject) {
    checkGuard(value)
    burn(value.size * 80)
    charge(value.size * 24)
    value.toDictionary()
    value.more().integrity = Math.max(value.integrity, level)
  } else if (value instanceof GuestArray && level === 2) value.isFrozen = true
  else throw refused('Only plain objects and arrays can be frozen, and only objects sealed')
  return value
}

/** Whether it is frozen (2) or not extensible (1). */
function isFixed(value: Guest, level: number): boolean {
  if (value instanceof GuestFunction) return value.own !== null && value.own.integrity >= level
  if (value instanceof GuestObject) return value.integrity >= level || (value.integrity === 1 && value.size === 0)
  if (value instanceof GuestArray) return value.isFrozen
  return typeof value !== 'object' || value === null
}

function hasOwn(value: Guest, key: Guest): boolean {
  if (value === null || value === undefined) throw thrown('TypeError', 'Cannot convert undefined or null to object')
  const name = keyText(key)
  if (value instanceof GuestObject) return value.has(name) || (value instanceof GuestError && name === 'message')
  if (value instanceof BuiltinFunction) return (value.members?.has(name) ?? false) || isOfFunction(value.builtin, name)
  if (value instanceof GuestFunction)
    return (
      isOfFunction(value, name) ||
      (name === 'prototype' ? prototypeOf(value) !== undefined : value.own?.has(name) === true)
    )
  if (value instanceof GuestNative) return value.isIndexed && isIndexKey(name) && Number(name) < value.count!
  if (name === 'length') return value instanceof GuestArray || typeof value === 'string'
  if (isIndexKey(name)) return value instanceof GuestArray ? name in value.items : isUnitOf(value, Number(name))
  return value instanceof GuestArray && value.named !== null && value.named.has(name)
}

function isUnitOf(value: Guest, index: number): boolean {
  return typeof value === 'string' && index < value.length
}

function groupBy(_: Guest, args: readonly Guest[]): Guest {
  const call = itemCall(args[1], 'Object.groupBy')
  const groups = newBare()
  for (const [index, item] of itemsOf(args[0]).entries()) {
    burn(100)
    const key = keyText(call(item, index, undefined))
    let group = groups.get(key)
    if (!(group instanceof GuestArray)) {
      group = newArray([])
      groups.setComputed(key, group)
    }
    pushItem(group, item)
  }
  return groups
}

function make(args: Guest[]): Guest {
  const [value] = args
  if (value === null || value === undefined) return newObject()
  if (typeof value !== 'object') throw refused('Object(value) of a text, number or boolean is not available')
  return value
}

function listOf(items: Guest[]): Guest {
  return newArray(items)
}

/** `Object` and its functions. */
export const objectGlobal: BuiltinFunction = global('Object', {
  call: (_, args) => make(args),
  construct: make,
  members: functions('Object', {
    assign: [2, assign],
    ...propertyRows,
    entries: [1, (_, args) => listOf(entriesOf(args[0]).map(([key, value]) => pair(key, value)))],
    freeze: [1, (_, args) => freeze(args[0], 2)],
    fromEntries: [1, fromEntries],
    getOwnPropertyNames: [
      1,
      (_, args) => {
        const [value] = args
        if (value instanceof BuiltinFunction && !value.isListed)
          throw refused('Built-ins list no properties: write the names that are wanted.')
        const holder = value instanceof GuestFunction ? value.own : value
        if (value instanceof GuestFunction) prototypeOf(value)
        if (holder instanceof GuestObject && holder.extra !== null) {
          chargeList(holder.size)
          const own = holder.allKeys()
          if (value instanceof GuestFunction) return listOf(['length', 'name', ...own])
          return listOf(value instanceof GuestError ? [...unlisted(value), ...own] : own)
        }
        const keys = entriesOf(value).map(([key]) => key)
        if (value instanceof GuestError) return listOf([...unlisted(value), ...keys])
        return listOf(value instanceof GuestArray || typeof value === 'string' ? [...keys, 'length'] : keys)
      },
    ],
    groupBy: [2, groupBy],
    hasOwn: [2, (_, args) => hasOwn(args[0], args[1])],
    is: [2, (_, args) => (typeof args[0] === 'string' ? strictEquals(args[0], args[1]) : Object.is(args[0], args[1]))],
    isExtensible: [1, (_, args) => !isFixed(args[0], 1)],
    isFrozen: [
      1,
      (_, args) =>
        isFixed(args[0], 2) || (args[0] instanceof GuestObject && args[0].integrity > 0 && args[0].size === 0),
    ],
    isSealed: [1, (_, args) => isFixed(args[0], 1)],
    keys: [1, (_, args) => listOf(entriesOf(args[0]).map(([key]) => key))],
    preventExtensions: [1, (_, args) => preventExtensions(args[0])],
    seal: [1, (_, args) => freeze(args[0], 1)],
    values: [1, (_, args) => listOf(entriesOf(args[0]).map(([, value]) => value))],
  }),
})

/** Non-enumerable properties of errors. */
function unlisted({ message, cause, errors }: GuestError): string[] {
  const found = ['stack']
  if (message !== '') found.push('message')
  if (cause !== undefined) found.push('cause')
  if (errors !== undefined) found.push('errors')
  return found
}

function preventExtensions(value: Guest): Guest {
  if (typeof value === 'object' && value !== null) {
    throw refused('Use Object.freeze(value): objects are open or frozen')
  }
  return value
}

/** Every function has these two. */
function isOfFunction(fn: unknown, name: string): boolean {
  return fn !== undefined && (name === 'length' || name === 'name')
}

function isListed(value: Guest, key: Guest): boolean {
  if (value instanceof BuiltinFunction) return listedMembers(value).has(toKey(key))
  const holder = value instanceof GuestFunction ? value.own : value
  if (holder instanceof GuestObject && holder.extra?.hidden?.has(toKey(key)) === true) return false
  if (value instanceof GuestFunction) return value.own?.has(toKey(key)) === true
  if (!(value instanceof GuestObject) && toKey(key) === 'length') return false
  return hasOwn(value, key)
}

/** Methods every object has. */
export const objectRows: Rows = {
  ...prototypeRows,
  hasOwnProperty: row(1, (receiver, args) => {
    // A call of it names a tool that was not granted.
    if (receiver instanceof BuiltinFunction && receiver.isListed)
      throw refused(`${receiver.path} has no methods but those it was given`)
    return hasOwn(receiver, args[0])
  }),
  propertyIsEnumerable: row(1, (receiver, args) => isListed(receiver, args[0])),
  toLocaleString: row(0, (receiver) => toText(receiver)),
  toString: row(0, (receiver) => toText(receiver)),
  valueOf: row(0, (receiver) => receiver),
}
