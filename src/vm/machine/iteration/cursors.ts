import { live } from '../../meter/live.ts'
import { isCallable, toText } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestObject } from '../../value/guest-object.ts'
import { GuestNative } from '../../value/native/guest-native.ts'
import { getNamed } from '../../value/property.ts'
import { ITERATOR } from '../../value/symbols.ts'
import { thrown } from '../../value/thrown.ts'
import { callMember } from '../invoke.ts'
import { type Cursor, END, GuestIterator } from './guest-iterator.ts'
import { LiveItems } from './items.ts'

/** A cursor over an iterator that the program made: an object with `next`. */
export class ObjectCursor implements Cursor {
  readonly iterator: Guest
  readonly #next: Guest
  stepLabel = 0

  constructor(iterator: Guest) {
    this.iterator = iterator
    this.#next = getNamed(iterator, 'next')
  }

  step(): Guest | typeof END {
    live.label = 0
    const result = callMember(this.iterator, this.#next, [], 'next')
    return isObject(result) ? this.take(result) : refuseResult(result)
  }

  /** The item of a result `{ value, done }`. */
  take(result: Guest): Guest | typeof END {
    const { flow } = live.machine
    const own = live.label
    const isDone = Boolean(getNamed(result, 'done'))
    this.stepLabel = own | (flow?.partBits(result, 'done') ?? 0)
    if (isDone) return END
    const value = getNamed(result, 'value')
    live.label = own | (flow?.partBits(result, 'value') ?? 0)
    return value
  }

  close(): void {
    const end = getNamed(this.iterator, 'return')
    if (end === undefined || end === null) return
    const result = callMember(this.iterator, end, [], 'return')
    if (!isObject(result)) refuseResult(result)
  }
}

export function isObject(value: Guest): boolean {
  return typeof value === 'object' && value !== null
}

export function refuseResult(result: Guest): never {
  throw thrown('TypeError', `Iterator result ${toText(result)} is not an object`)
}

/** Returns the cursor of an iterable other than a list, text, map or set; `undefined` for a value that is not iterable. */
export function cursorOf(value: Guest): Cursor | undefined {
  if (value instanceof GuestIterator) return used(value)
  if (!(value instanceof GuestObject)) return undefined
  const method = getNamed(value, ITERATOR)
  if (method === undefined || method === null) return undefined
  if (!isCallable(method)) return undefined
  const iterator = callMember(value, method, [], 'Symbol.iterator')
  if (iterator instanceof GuestIterator) return used(iterator)
  if (!isObject(iterator) || (iterator instanceof GuestNative && !(iterator instanceof GuestIterator)))
    throw thrown('TypeError', 'Result of the Symbol.iterator method is not an object')
  return new ObjectCursor(iterator)
}

/** Records the labels under which an iterator is used. */
export function used<T extends GuestNative>(iterator: T): T {
  if (live.isLabelled) live.machine.flow?.noteUse(iterator)
  return iterator
}

/** Items that a loop reads through a cursor. */
export class CursorItems extends LiveItems {
  readonly source: Guest
  readonly cursor: Cursor

  constructor(source: Guest, cursor: Cursor) {
    super([])
    this.source = source
    this.cursor = cursor
  }

  more(): boolean {
    return false
  }

  holds(): boolean {
    return false
  }

  itemFor(): Guest {
    return undefined
  }
}

/** Reads all remaining items of a cursor. `live.label` then holds the join of their labels. */
export function drain(cursor: Cursor, take: (item: Guest) => void): void {
  let bits = 0
  for (;;) {
    live.label = 0
    const item = cursor.step()
    bits |= cursor.stepLabel
    if (item === END) break
    bits |= live.label
    take(item)
  }
  live.label = bits
}

/** The guest value behind a cursor. */
export function heldBy(cursor: Cursor): unknown {
  return cursor instanceof ObjectCursor ? cursor.iterator : cursor
}
