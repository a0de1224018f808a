import { live, outOfMemory } from '../meter/live.ts'
import { limitStop, refused } from '../meter/stop.ts'
import type { Receiver } from './builtin-table.ts'
import { BuiltinFunction } from './builtin-function.ts'
import { receiverOf, toKey } from './convert.ts'
import type { Guest } from './guest.ts'
import { GuestArray, ITEM_BYTES } from './guest-array.ts'
import { GuestFunction } from './guest-function.ts'
import { GuestError, GuestObject, isIndexKey } from './guest-object.ts'
import { GuestTyped } from './native/guest-bytes.ts'
import { hasStatic, inheritedFrom, isBare, readStatic } from './prototypes/lookup.ts'
import { missingMethod } from './text/javascript-names.ts'
import { concat, touch, touchKey } from './text/text.ts'
import { thrown } from './thrown.ts'

/** Reads a property by a constant name. */
export function getNamed(target: Guest, key: string): Guest {
  if (target instanceof GuestObject) {
    const value = getMember(target, key)
    return value === undefined && !target.has(key) ? methodOfAll(target, key) : value
  }
  if (target instanceof GuestArray) {
    if (key === 'length') return target.items.length
    if (target.named !== null && target.named.has(key)) return target.named.get(key)
  } else if (typeof target === 'string') {
    if (key === 'length') return target.length
  } else if (target === null || target === undefined) {
    throw thrown('TypeError', `Cannot read properties of ${target} (reading '${key}')`)
  } else if (target instanceof GuestFunction) {
    if ((target.own !== null || key === 'prototype') && hasStatic(target, key)) return readStatic(target, key)
  } else if (target instanceof BuiltinFunction && target.members?.has(key)) return target.members.get(key)
  else if (target instanceof BuiltinFunction && target.standsFor !== undefined) throw notInHandle(target, key)
  return getFromTable(target, key)
}

/**
 * Reads a property of an object or of its prototypes in the program. Computed keys do not find built-in methods, so that a table of words does not contain
 * `toString`.
 */
function getMember(target: GuestObject, key: string): Guest {
  const value = target.get(key)
  if (value !== undefined) return value
  if (target.extra !== null && target.extra.proto !== null && !target.has(key)) {
    const holder = inheritedFrom(target, key)
    if (holder !== undefined) return holder.get(key, target)
  }
  return target instanceof GuestError && !target.has(key) ? errorProperty(target, key) : value
}

/** Returns a method that every object has, unless it was created without a prototype. */
function methodOfAll(target: GuestObject, key: string): Guest {
  const { methods, getters } = live.machine.builtins
  const found = methods.get('object')?.get(key)
  const getter = found === undefined ? getters.get('object')?.get(key) : undefined
  if ((found === undefined && getter === undefined) || isBare(target)) return undefined
  return getter === undefined ? found : getter(target as never)
}

/** Creates the error for a member that a handle does not have, because texts and lists have many members that one would expect. */
export function notInHandle({ path, members = new Map() }: BuiltinFunction, key: string): unknown {
  const names = [...members].map(([name, member]) => (member instanceof BuiltinFunction ? `${name}(…)` : name))
  return thrown('TypeError', `\`${path}\` is not loaded and has no \`${key}\`. It has: ${names.join(', ')}.`)
}

function errorProperty(error: GuestError, key: string): Guest {
  switch (key) {
    case 'name':
      return error.name
    case 'message':
      return error.message
    case 'cause':
      return error.cause
    case 'errors':
      return error.errors
    case 'code':
      return error.code
    case 'stack':
      return concat(concat(error.name, ': '), error.message)
    default:
      return getFromTable(error, key)
  }
}

function getFromTable(target: Guest, key: string): Guest {
  const receiver = receiverOf(target)!
  const { builtins } = live.machine
  const getter = builtins.getters.get(receiver)?.get(key)
  if (getter !== undefined) return getter(target as never)
  const found = builtins.methods.get(receiver)?.get(key)
  if (found === undefined) checkMissing(receiver, key)
  return found
}

/** Stops a program that reads a property which JavaScript has on this type and the VM does not. */
export function checkMissing(receiver: Receiver, key: string): void {
  const advice = missingMethod(receiver, key)
  if (advice !== undefined) throw refused(`\`${receiver}.${key}\` is not available. ${advice}`)
}

/** Reads a property by a computed key. */
export function getKeyed(target: Guest, key: Guest): Guest {
  if (typeof key === 'number') {
    if (target instanceof GuestArray)
      return key >= 0 && key < target.items.length ? target.items[key] : getNamed(target, String(key))
    if (typeof target === 'string') {
      touch(target)
      return key >= 0 && key < target.length ? target[key] : undefined
    }
    if (target instanceof GuestTyped) return target.view[key]
  } else if (typeof key === 'string') {
    if (target instanceof GuestObject) {
      touchKey(key)
      return getMember(target, key)
    }
    if (isIndexKey(key) && (target instanceof GuestArray || typeof target === 'string' || target instanceof GuestTyped))
      return getKeyed(target, Number(key))
  }
  if (target === null || target === undefined)
    throw thrown('TypeError', `Cannot read properties of ${target} (reading '${describeKey(key)}')`)
  return getNamed(target, toKey(key))
}

function describeKey(key: Guest): string {
  return typeof key === 'object' && key !== null ? 'object' : String(key)
}

/** Adds an item at the end of a list. */
export function pushItem(target: GuestArray, value: Guest): void {
  if (target.isFrozen) throw thrown('TypeError', 'Cannot add property, object is not extensible')
  if (target.items.length >= live.machine.limits.arrayLength)
    throw limitStop('arrayLength', live.machine.limits.arrayLength)
  if ((live.memory -= ITEM_BYTES) < 0) outOfMemory()
  target.items.push(value)
}
