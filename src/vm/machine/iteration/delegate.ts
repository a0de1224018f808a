import { live } from '../../meter/live.ts'
import { isCallable } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestObject } from '../../value/guest-object.ts'
import { getNamed } from '../../value/property.ts'
import { ASYNC_ITERATOR } from '../../value/symbols.ts'
import { thrown } from '../../value/thrown.ts'
import { GOT_RETURN, GOT_THROW, GOT_VALUE } from '../activation.ts'
import type { Got } from '../activation.ts'
import { callMember } from '../invoke.ts'
import { GuestAsyncGenerator } from './async-generator.ts'
import { iteratorOf } from './collection-iterator.ts'
import { cursorOf, isObject, ObjectCursor, refuseResult } from './cursors.ts'
import { DONE, GuestGenerator } from './generator.ts'
import { type Cursor, END } from './guest-iterator.ts'
import { itemsOf } from './items.ts'
import { GuestMap, GuestSet } from '../../value/collections.ts'
import { GuestArray } from '../../value/guest-array.ts'

const NO_THROW = "The iterator does not provide a 'throw' method"

/** A cursor of any iterable. */
export function anyCursor(value: Guest): Cursor {
  if (value instanceof GuestArray || typeof value === 'string') return iteratorOf(value)
  if (value instanceof GuestMap) return iteratorOf(value, 'entries')
  if (value instanceof GuestSet) return iteratorOf(value)
  return cursorOf(value) ?? iteratorOf(itemsOf(value))
}

/** The source of a `yield*` or `for await`: forwards requests to it and receives its items. */
export class Delegate {
  readonly #cursor: Cursor | undefined
  /** An asynchronous iterator. */
  readonly #later: Guest
  readonly #isAsync: boolean
  /** The yielded or returned value. */
  value: Guest = undefined
  isDone = false
  /** Whether it ended because of a requested return. */
  returns = false
  /** The value to await before the result is known. */
  awaited: { readonly value: Guest } | undefined
  #got: Got = GOT_VALUE
  stepLabel = 0

  constructor(source: Guest, isAsync: boolean) {
    this.#isAsync = isAsync
    const later = isAsync ? asyncIteratorOf(source) : undefined
    this.#later = later
    if (later === undefined) this.#cursor = anyCursor(source)
  }

  /** The guest values that it refers to. */
  get held(): readonly unknown[] {
    return [this.#later, this.#cursor instanceof ObjectCursor ? this.#cursor.iterator : this.#cursor, this.value]
  }

  /** Requests the next item or an end. `bits` is the label of the sent value. */
  send(value: Guest, got: Got, bits: number): void {
    this.#got = got
    if (this.#later !== undefined) return this.#ask(value, got, bits)
    this.#step(this.#cursor!, value, got, bits)
    this.stepLabel |= this.#cursor!.stepLabel
    // Items of a synchronous iterator in an asynchronous consumer are awaited.
    if (this.#isAsync && !(this.isDone && got === GOT_RETURN)) this.awaited = { value: this.value }
  }

  /** Called when the awaited value is fulfilled. */
  settle(value: Guest): void {
    this.awaited = undefined
    if (this.#later === undefined) {
      this.value = value
      return
    }
    if (!isObject(value)) refuseResult(value)
    const { flow } = live.machine
    const own = live.label
    this.isDone = Boolean(getNamed(value, 'done'))
    this.stepLabel |= own | (flow?.partBits(value, 'done') ?? 0)
    this.value = getNamed(value, 'value')
    live.label = own | (flow?.partBits(value, 'value') ?? 0)
    this.returns = this.isDone && this.#got === GOT_RETURN
  }

  #step(cursor: Cursor, value: Guest, got: Got, bits: number): void {
    if (cursor instanceof GuestGenerator) {
      this.value = cursor.resume(value, got, bits)
      this.isDone = cursor.state === DONE
    } else if (cursor instanceof ObjectCursor) this.#call(cursor, value, got)
    else if (got === GOT_VALUE) {
      const item = cursor.step()
      this.isDone = item === END
      this.value = item === END ? undefined : item
    } else {
      cursor.close()
      if (got === GOT_THROW) throw thrown('TypeError', NO_THROW)
      this.isDone = true
      this.value = value
    }
    this.returns = this.isDone && got === GOT_RETURN
  }

  #call(cursor: ObjectCursor, value: Guest, got: Got): void {
    const { iterator } = cursor
    const method = methodFor(iterator, got)
    if (method === undefined && got === GOT_THROW) {
      cursor.close()
      throw thrown('TypeError', NO_THROW)
    }
    if (method === undefined) {
      this.isDone = true
      this.value = value
      return
    }
    const result = callMember(iterator, method, [value], NAMES[got])
    if (!isObject(result)) refuseResult(result)
    const item = cursor.take(result)
    this.isDone = item === END
    this.value = item === END ? getNamed(result, 'value') : item
  }

  #ask(value: Guest, got: Got, bits: number): void {
    const later = this.#later
    if (later instanceof GuestAsyncGenerator) {
      this.awaited = { value: later.ask(value, got, bits) }
      return
    }
    const method = methodFor(later, got)
    if (method !== undefined) this.awaited = { value: callMember(later, method, [value], NAMES[got]) }
    else if (got === GOT_THROW) throw thrown('TypeError', NO_THROW)
    else {
      this.isDone = true
      this.returns = true
      this.value = value
    }
  }

  /** Called when a `for await` stops early. Returns the value to await, if any. */
  close(): { readonly value: Guest } | undefined {
    if (this.#later === undefined) {
      this.#cursor!.close()
      return undefined
    }
    this.awaited = undefined
    this.send(undefined, GOT_RETURN, 0)
    return this.awaited
  }
}

const NAMES: Readonly<Record<Got, string>> = { [GOT_VALUE]: 'next', [GOT_THROW]: 'throw', [GOT_RETURN]: 'return' }

function methodFor(iterator: Guest, got: Got): Guest {
  const method = getNamed(iterator, NAMES[got])
  return got !== GOT_VALUE && method === null ? undefined : method
}

/** The asynchronous iterator of a value that has one. */
function asyncIteratorOf(value: Guest): Guest {
  if (value instanceof GuestAsyncGenerator) return value
  if (!(value instanceof GuestObject)) return undefined
  const method = getNamed(value, ASYNC_ITERATOR)
  if (method === undefined || method === null || !isCallable(method)) return undefined
  const iterator = callMember(value, method, [], 'Symbol.asyncIterator')
  if (isObject(iterator)) return iterator
  throw thrown('TypeError', 'Result of the Symbol.asyncIterator method is not an object')
}
