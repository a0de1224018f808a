import { burn, live } from '../../meter/live.ts'
import { refused } from '../../meter/stop.ts'
import { BuiltinFunction } from '../../value/builtin-function.ts'
import { isCallable, receiverOf, toKey } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import { GuestError, GuestObject, isIndexKey, newObject } from '../../value/guest-object.ts'
import { GuestNative } from '../../value/native/guest-native.ts'
import { getNamed } from '../../value/property.ts'
import {
  checkGuard,
  defineAccessor,
  hasProperty,
  newBare,
  newInstance,
  ownOf,
  prototypeOf,
  readProperty,
  setPrototype,
} from '../../value/prototypes/lookup.ts'
import { touchKey } from '../../value/text/text.ts'
import { thrown } from '../../value/thrown.ts'
import { describe } from '../argument-reads.ts'
import { type Rows, row } from '../constructors.ts'

/** The object that holds the properties of a value: its own for a function. */
function holderOf(value: Guest, name: string): GuestObject {
  if (value instanceof GuestObject) return value
  if (value instanceof GuestFunction) return ownOf(value)
  if (typeof value !== 'object' || value === null) throw thrown('TypeError', `Object.${name} called on non-object`)
  throw refused(
    `Object.${name} takes objects and functions. Wrap the ${receiverOf(value)!}: \`const wrapped = { value }\`.`,
  )
}

/** The flags of a property, as a descriptor gives them. */
function flag(descriptor: GuestObject, name: string, otherwise: boolean): boolean {
  return hasProperty(descriptor, name) ? Boolean(readProperty(descriptor, name)) : otherwise
}

function put(set: Set<string> | null, key: string, isIn: boolean): Set<string> | null {
  if (!isIn) {
    set?.delete(key)
    return set
  }
  return (set ?? new Set<string>()).add(key)
}

/** Units that it costs to describe a property, and to define one. */
const DESCRIBE = 500
const DEFINE = 500

/** Makes or changes an own property. */
function define(holder: GuestObject, key: string, descriptor: Guest): void {
  burn(DEFINE)
  touchKey(key)
  if (!(descriptor instanceof GuestObject))
    throw thrown('TypeError', `Property description must be an object: ${describe(descriptor)}`)
  const isNew = !holder.has(key)
  const extra = holder.more()
  if (isNew && extra.integrity > 0) throw thrown('TypeError', `Cannot define property ${key}, object is not extensible`)
  if (!isNew && (extra.sealed?.has(key) === true || extra.integrity > 0))
    throw thrown('TypeError', `Cannot redefine property: ${key}`)
  const isListed = flag(descriptor, 'enumerable', !isNew && extra.hidden?.has(key) !== true)
  const isOpen = flag(descriptor, 'configurable', !isNew)
  holder.toDictionary()
  if (hasProperty(descriptor, 'get') || hasProperty(descriptor, 'set')) {
    if (hasProperty(descriptor, 'value') || hasProperty(descriptor, 'writable'))
      throw thrown(
        'TypeError',
        'Invalid property descriptor. Cannot both specify accessors and a value or writable attribute',
      )
    const [get, set] = [accessorOf(descriptor, 'get'), accessorOf(descriptor, 'set')]
    extra.fixed?.delete(key)
    defineAccessor(holder, key, { get, set }, isListed)
  } else defineData(holder, key, descriptor, isListed)
  extra.sealed = put(extra.sealed, key, !isOpen)
}

function defineData(holder: GuestObject, key: string, descriptor: GuestObject, isListed: boolean): void {
  const extra = holder.more()
  const isAccessor = holder.accessor(key) !== undefined
  const isPlain = holder.has(key) && !isAccessor
  const isSettable = flag(descriptor, 'writable', isPlain && extra.fixed?.has(key) !== true)
  if (!isSettable) checkGuard(holder)
  const value = hasProperty(descriptor, 'value')
    ? readProperty(descriptor, 'value')
    : isPlain
      ? holder.get(key)
      : undefined
  if (isAccessor) holder.dict!.delete(key)
  extra.fixed?.delete(key)
  holder.set(key, value)
  extra.hidden = put(extra.hidden, key, !isListed)
  extra.fixed = put(extra.fixed, key, !isSettable)
}

function accessorOf(descriptor: GuestObject, name: 'get' | 'set'): Guest {
  const fn = readProperty(descriptor, name)
  if (fn === undefined || isCallable(fn)) return fn
  throw thrown('TypeError', `${name === 'get' ? 'Getter' : 'Setter'} must be a function: ${describe(fn)}`)
}

function defineProperty(_: Guest, [target, key, descriptor]: readonly Guest[]): Guest {
  define(holderOf(target, 'defineProperty'), toKey(key), descriptor)
  return target
}

function defineAll(holder: GuestObject, descriptors: Guest): void {
  if (!(descriptors instanceof GuestObject)) throw thrown('TypeError', 'Cannot convert undefined or null to object')
  for (const key of descriptors.listKeys()) define(holder, key, descriptors.get(key))
}

function defineProperties(_: Guest, [target, descriptors]: readonly Guest[]): Guest {
  defineAll(holderOf(target, 'defineProperties'), descriptors)
  return target
}

function record(entries: readonly (readonly [string, Guest])[]): GuestObject {
  const made = newObject()
  for (const [key, value] of entries) made.set(key, value)
  return made
}

function plain(value: Guest, writable: boolean, enumerable: boolean, configurable: boolean): GuestObject {
  return record([
    ['value', value],
    ['writable', writable],
    ['enumerable', enumerable],
    ['configurable', configurable],
  ])
}

function descriptorIn(holder: GuestObject, key: string): Guest {
  if (!holder.has(key)) {
    const isUnlisted = holder instanceof GuestError && ['message', 'stack'].includes(key)
    return isUnlisted ? plain(getNamed(holder, key), true, false, true) : undefined
  }
  const { extra } = holder
  const isListed = extra?.hidden?.has(key) !== true
  const isOpen = extra === null || (extra.integrity === 0 && extra.sealed?.has(key) !== true)
  const accessor = holder.accessor(key)
  if (accessor === undefined) {
    const isSettable = extra === null || (extra.integrity < 2 && extra.fixed?.has(key) !== true)
    return plain(holder.get(key), isSettable, isListed, isOpen)
  }
  return record([
    ['get', accessor.get],
    ['set', accessor.set],
    ['enumerable', isListed],
    ['configurable', isOpen],
  ])
}

/** The descriptor of an own property; `undefined` if there is none. */
function descriptorOf(value: Guest, key: string): Guest {
  burn(DESCRIBE)
  touchKey(key)
  if (value === null || value === undefined) throw thrown('TypeError', 'Cannot convert undefined or null to object')
  if (value instanceof GuestObject) return descriptorIn(value, key)
  if (value instanceof GuestFunction) {
    if (key === 'prototype') prototypeOf(value)
    return value.own === null ? undefined : descriptorIn(value.own, key)
  }
  if (value instanceof GuestArray) {
    const isOpen = !value.isFrozen
    if (key === 'length') return plain(value.items.length, isOpen, false, false)
    if (isIndexKey(key)) return key in value.items ? plain(value.items[Number(key)], isOpen, true, isOpen) : undefined
    return value.named === null ? undefined : descriptorIn(value.named, key)
  }
  throw refused(
    `The properties of a ${receiverOf(value)!} are not described. Ask for the one that is wanted: \`value.${key}\`.`,
  )
}

function descriptorsOf(value: Guest): Guest {
  const holder = holderOf(value, 'getOwnPropertyDescriptors')
  const made = newObject()
  for (const key of holder.allKeys()) {
    burn(DESCRIBE)
    touchKey(key)
    made.setComputed(key, descriptorIn(holder, key))
  }
  return made
}

/** The built-in prototypes: names of the methods that every value of a type has. */
const GLOBALS: Readonly<Record<string, string>> = {
  object: 'Object',
  array: 'Array',
  string: 'String',
  number: 'Number',
  boolean: 'Boolean',
  map: 'Map',
  set: 'Set',
  date: 'Date',
  regexp: 'RegExp',
  promise: 'Promise',
  error: 'Error',
}

function builtinPrototype(value: Guest): Guest {
  const name = GLOBALS[receiverOf(value)!]
  const owner = name === undefined ? undefined : live.machine.builtins.globals.get(name)
  const found = owner instanceof BuiltinFunction ? owner.members?.get('prototype') : undefined
  if (found !== undefined) return found
  throw refused(
    `The prototype of a ${receiverOf(value)!} is not there. Ask \`value instanceof Type\` or \`typeof value\`.`,
  )
}

function getPrototypeOf(_: Guest, [value]: readonly Guest[]): Guest {
  if (value === null || value === undefined) throw thrown('TypeError', 'Cannot convert undefined or null to object')
  if (value instanceof GuestObject && value.extra?.proto != null) return value.extra.proto
  if (value instanceof GuestObject && value.extra?.isBare === true) return null
  if (value instanceof GuestFunction) {
    const proto = value.own?.extra?.proto
    const parent = proto?.get('prototype')
    const fn = parent instanceof GuestObject ? parent.get('constructor') : undefined
    if (fn !== undefined) return fn
  }
  return builtinPrototype(value)
}

/** Returns the given prototype; null if it is that of all objects or if there is none. */
function prototypeGiven(value: Guest): GuestObject | null {
  if (value === null || value instanceof GuestObject) return value
  if (value instanceof BuiltinFunction && value.path === 'Object.prototype') return null
  if (value instanceof GuestFunction || value instanceof BuiltinFunction || value instanceof GuestArray)
    throw refused('A prototype is an object of the script: `Object.create({ … })`, or `class A extends B`.')
  throw thrown('TypeError', `Object prototype may only be an Object or null: ${describe(value)}`)
}

function setPrototypeOf(_: Guest, [value, proto]: readonly Guest[]): Guest {
  if (!(value instanceof GuestObject)) throw refused('Only objects get another prototype. Write `class A extends B`.')
  const given = prototypeGiven(proto)
  if ((value.extra?.proto ?? null) !== given) setPrototype(value, given)
  if (proto === null || value.extra?.isBare === true) value.more().isBare = proto === null
  return value
}

function create(_: Guest, [proto, descriptors]: readonly Guest[]): Guest {
  if (proto === undefined) throw thrown('TypeError', 'Object prototype may only be an Object or null: undefined')
  const made = proto === null ? newBare() : newInstance(prototypeGiven(proto))
  if (descriptors !== undefined) defineAll(made, descriptors)
  return made
}

/** Functions of `Object` about properties and prototypes. */
export const propertyRows: Rows = {
  create: [2, create],
  defineProperties: [2, defineProperties],
  defineProperty: [3, defineProperty],
  getOwnPropertyDescriptor: [2, (_, args) => descriptorOf(args[0], toKey(args[1]))],
  getOwnPropertyDescriptors: [1, (_, args) => descriptorsOf(args[0])],
  getPrototypeOf: [1, getPrototypeOf],
  setPrototypeOf: [2, setPrototypeOf],
}

/** Returns what `Object.prototype.toString.call(value)` and `({}).toString.call(value)` return: the type of any value in brackets. */
function tagOf(value: Guest): string {
  if (value === undefined) return '[object Undefined]'
  if (value === null) return '[object Null]'
  if (value instanceof GuestNative) return `[object ${value.type}]`
  const name = isCallable(value) ? 'Function' : (GLOBALS[receiverOf(value)!] ?? 'Object')
  return `[object ${name}]`
}

/** The only method of `Object.prototype` that accepts values of every type. */
export const tagRows: Rows = { toString: row(0, (receiver) => tagOf(receiver)) }

function isPrototypeOf(receiver: Guest, [value]: readonly Guest[]): boolean {
  if (!(value instanceof GuestObject)) return false
  for (let one = value.extra?.proto ?? null; one !== null; one = one.extra?.proto ?? null) {
    burn(10)
    if (one === receiver) return true
  }
  return false
}

/** Methods of objects about their prototypes. */
export const prototypeRows: Rows = { isPrototypeOf: row(1, isPrototypeOf) }
