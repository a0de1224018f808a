import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from '../value/collections.ts'
import { GuestArray, ITEM_BYTES } from '../value/guest-array.ts'
import { Box, GuestFunction } from '../value/guest-function.ts'
import { EXTRA_BYTES, GuestError, GuestObject, OBJECT_BYTES, PROPERTY_BYTES } from '../value/guest-object.ts'
import { GuestPromise } from '../value/guest-promise.ts'
import { GuestNative } from '../value/native/guest-native.ts'
import { SHORT_TEXT } from '../value/text/text-ledger.ts'
import type { TextLedger } from '../value/text/text-ledger.ts'
import { Activation } from './activation.ts'
import { CursorItems, heldBy } from './iteration/cursors.ts'
import { Delegate } from './iteration/delegate.ts'
import { LiveItems } from './iteration/items.ts'

/** Values visited between two checks of the clock. */
const STRETCH = 20_000

/** Inputs of a heap count besides its roots. */
interface Counting {
  readonly texts: TextLedger
  /** Called before visiting that many values: spends fuel, and stops a count that takes too long. */
  spend(visits: number): void
}

/**
 * Counts the bytes reachable from the given roots, so that garbage is credited back to the program. It reads no
 * text, so no V8 rope is flattened: texts count by length per reference, but never more than were made.
 * Not recursive, because the guest chooses the depth.
 */
export function liveBytes(roots: Iterable<unknown>, counting: Counting): number {
  const walk = new Walk(counting)
  walk.pushAll(roots)
  let total = walk.containers()
  for (const [length, references] of walk.lengths) total += counting.texts.countOf(length, references) * (length + 24)
  counting.texts.keepOnly(walk.lengths)
  return total + walk.shortBytes + counting.texts.bytes
}

/** One traversal of everything reachable. */
class Walk {
  /** References to long texts, by length. */
  readonly lengths = new Map<number, number>()
  shortBytes = 0
  readonly #stack: object[] = []
  readonly #seen = new Set<object>()
  readonly #count = ++counts
  readonly #counting: Counting
  #left = 0

  constructor(counting: Counting) {
    this.#counting = counting
  }

  containers(): number {
    let total = 0
    for (let value = this.#stack.pop(); value !== undefined; value = this.#stack.pop())
      if (isNew(value, this.#count, this.#seen)) total += bytesOf(value, this)
    return total
  }

  pushAll(items: Iterable<unknown>): void {
    for (const item of items) this.push(item)
  }

  push(item: unknown): void {
    if ((this.#left -= 1) < 0) {
      this.#counting.spend(STRETCH)
      this.#left = STRETCH
    }
    if (typeof item === 'string') this.text(item.length)
    else if (typeof item === 'object' && item !== null) this.#stack.push(item)
  }

  key(length: number): void {
    if (length > SHORT_TEXT) this.text(length)
    else this.shortBytes += length
  }

  text(length: number): void {
    if (length > SHORT_TEXT) this.lengths.set(length, (this.lengths.get(length) ?? 0) + 1)
    else this.shortBytes += length + 24
  }
}

let counts = 0

/** Frequent kinds of values carry a visited mark; a set of them would need as much memory as the values. */
function isNew(value: object, count: number, seen: Set<object>): boolean {
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

function bytesOf(value: object, walk: Walk): number {
  if (value instanceof GuestArray) {
    walk.pushAll(value.items)
    walk.push(value.named)
    if (value instanceof LiveItems) walk.push(value.source)
    if (value instanceof CursorItems) walk.push(heldBy(value.cursor))
    return 48 + value.items.length * ITEM_BYTES
  }
  if (value instanceof GuestObject) return objectBytes(value, walk)
  if (value instanceof Box) {
    walk.push(value.value)
    return 32
  }
  if (value instanceof GuestFunction) {
    walk.pushAll(value.boxes)
    walk.push(value.own)
    return 64 + value.boxes.length * 8
  }
  if (value instanceof GuestMap) {
    for (const entry of value.entries) walk.pushAll(entry)
    return 96 + value.entries.size * 64
  }
  if (value instanceof GuestSet) {
    walk.pushAll(value.values)
    return 96 + value.values.size * 48
  }
  if (value instanceof GuestDate) return 64
  if (value instanceof GuestRegExp) return value.bytes
  if (value instanceof BuiltinFunction) return 0
  if (value instanceof GuestNative) {
    walk.pushAll(value.held())
    return value.bytes
  }
  return otherBytes(value, walk)
}

function objectBytes(value: GuestObject, walk: Walk): number {
  const { extra } = value
  if (extra === null) return plainBytes(value, walk)
  walk.pushAll([extra.proto, extra.privates])
  return plainBytes(value, walk) + EXTRA_BYTES
}

function plainBytes(value: GuestObject, walk: Walk): number {
  if (value instanceof GuestError) walk.pushAll([value.name, value.message, value.cause, value.errors])
  if (value.dict !== null) {
    walk.pushAll(value.dict.values())
    // Keys of shapes belong to the program; keys of a dictionary object are its own.
    for (const key of value.dict.keys()) walk.key(key.length)
    return OBJECT_BYTES + value.dict.size * PROPERTY_BYTES
  }
  walk.pushAll(value.slots)
  return OBJECT_BYTES + value.slots.length * PROPERTY_BYTES
}

/** Promises, activations, and waiters of promises. */
function otherBytes(value: object, walk: Walk): number {
  if (value instanceof GuestPromise) {
    walk.push(value.value)
    walk.pushAll(value.waiters ?? [])
    return 96
  }
  if (value instanceof Activation) {
    walk.pushAll(value.frame.slice(2))
    walk.pushAll(value.frame[0])
    walk.pushAll([value.caller, value.callee, value.promise, value.awaited, value.received])
    return 160 + value.frame.length * 8
  }
  walk.pushAll(value instanceof Delegate ? value.held : Object.values(value))
  return 48
}
