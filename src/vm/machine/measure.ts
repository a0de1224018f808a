import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from '../value/collections.ts'
import { GuestArray, ITEM_BYTES } from '../value/guest-array.ts'
import { Box, GuestFunction } from '../value/guest-function.ts'
import { GuestError, GuestObject, OBJECT_BYTES, PROPERTY_BYTES } from '../value/guest-object.ts'
import { GuestPromise } from '../value/guest-promise.ts'
import { ListIterator } from '../value/list-iterator.ts'
import { Activation } from './activation.ts'
import { LiveItems } from './items.ts'

const TEXT_SHARED = 64

/**
 * Counts the bytes that are still reachable from the given roots. Exact where nothing of the program is on the native
 * stack: what was garbage is given back to the program. No recursion: depth is the guest's to choose.
 */
export function liveBytes(roots: Iterable<unknown>): number {
  const seen = new Set<unknown>()
  const count = ++counts
  const stack: unknown[] = [...roots]
  let total = 0
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value === 'string') {
      if (value.length > TEXT_SHARED) {
        if (seen.has(value)) continue
        seen.add(value)
      }
      total += value.length + 24
    } else if (typeof value === 'object' && value !== null && isNew(value, count, seen)) total += bytesOf(value, stack)
  }
  return total
}

let counts = 0

/** The many kinds of values carry a mark: a set of all of them would take as much memory as they do. */
function isNew(value: object, count: number, seen: Set<unknown>): boolean {
  if (
    value instanceof GuestObject ||
    value instanceof GuestArray ||
    value instanceof GuestFunction ||
    value instanceof Box
  ) {
    if (value.mark === count) return false
    value.mark = count
    return true
  }
  if (seen.has(value)) return false
  seen.add(value)
  return true
}

function pushAll(items: Iterable<unknown>, stack: unknown[]): void {
  for (const item of items) if (typeof item === 'object' || typeof item === 'string') stack.push(item)
}

function bytesOf(value: object, stack: unknown[]): number {
  if (value instanceof GuestArray) {
    pushAll(value.items, stack)
    stack.push(value.named, value instanceof LiveItems || value instanceof ListIterator ? value.source : undefined)
    return 48 + value.items.length * ITEM_BYTES
  }
  if (value instanceof GuestObject) return objectBytes(value, stack)
  if (value instanceof Box) {
    stack.push(value.value)
    return 32
  }
  if (value instanceof GuestFunction) {
    pushAll(value.boxes, stack)
    return 64 + value.boxes.length * 8
  }
  if (value instanceof GuestMap) {
    for (const entry of value.entries) pushAll(entry, stack)
    return 96 + value.entries.size * 64
  }
  if (value instanceof GuestSet) {
    pushAll(value.values, stack)
    return 96 + value.values.size * 48
  }
  if (value instanceof GuestDate || value instanceof GuestRegExp) return 64
  if (value instanceof BuiltinFunction) return 0
  return otherBytes(value, stack)
}

function objectBytes(value: GuestObject, stack: unknown[]): number {
  if (value instanceof GuestError) stack.push(value.message, value.cause, value.errors)
  if (value.dict !== null) {
    pushAll(value.dict.values(), stack)
    let keys = 0
    for (const key of value.dict.keys()) keys += key.length
    return OBJECT_BYTES + value.dict.size * PROPERTY_BYTES + keys
  }
  pushAll(value.slots, stack)
  return OBJECT_BYTES + value.slots.length * PROPERTY_BYTES
}

/** Promises, activations, and whoever waits for a promise. */
function otherBytes(value: object, stack: unknown[]): number {
  if (value instanceof GuestPromise) {
    stack.push(value.value)
    pushAll(value.waiters ?? [], stack)
    return 96
  }
  if (value instanceof Activation) {
    pushAll(value.frame.slice(2), stack)
    pushAll(value.frame[0], stack)
    stack.push(value.caller, value.callee, value.promise, value.awaited, value.received)
    return 160 + value.frame.length * 8
  }
  pushAll(Object.values(value), stack)
  return 48
}
