import { burn, charge, chargeList, live } from '../../meter/live.ts'
import { BuiltinFunction, listedMembers } from '../../value/builtin-function.ts'
import { GuestMap, GuestSet } from '../../value/collections.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray, ITEM_BYTES, everyItem, newArrayOf } from '../../value/guest-array.ts'
import { GuestObject, isIndexKey } from '../../value/guest-object.ts'
import { limitStop } from '../../meter/stop.ts'
import { CollectionIterator } from './collection-iterator.ts'
import { type Cursor, END } from './guest-iterator.ts'
import { CursorItems, cursorOf, drain } from './cursors.ts'
import { GuestNative, type IteratorMode } from '../../value/native/guest-native.ts'
import { hasProperty } from '../../value/prototypes/lookup.ts'
import { LiveItems, itemsOf } from './items.ts'

/** Live iteration over a map or set, one key at a time: added items are visited, removed ones are not, and one removed and added again is. */
class KeyedItems extends LiveItems {
  readonly source: GuestMap | GuestSet
  readonly mode: IteratorMode
  readonly #left: Iterator<Guest>

  constructor(source: GuestMap | GuestSet, mode: IteratorMode) {
    super([])
    this.source = source
    this.mode = mode
    this.#left = source instanceof GuestMap ? keysIn(source) : source.values.values()
  }

  more(): boolean {
    burn(8)
    const next = this.#left.next()
    if (next.done === true) return false
    chargeList(this.source instanceof GuestMap ? 4 : 1)
    this.items.push(next.value)
    return true
  }

  holds(): boolean {
    return true
  }

  /** The item of a key. */
  itemFor(key: Guest): Guest {
    const { source, mode } = this
    if (mode === 'keys') return key
    const value = source instanceof GuestMap ? source.entries.get(key) : key
    return mode === 'values' ? value : newArrayOf([key, value])
  }
}

function* keysIn({ entries }: GuestMap): Generator<Guest> {
  for (const [key] of entries.entries()) yield key
}

/** Live iteration over the indices, or indices and items, of a list. */
class PlacedItems extends LiveItems {
  readonly source: GuestArray
  readonly mode: IteratorMode

  constructor(source: GuestArray, mode: IteratorMode) {
    super([])
    this.source = source
    this.mode = mode
  }

  more(): boolean {
    const { length } = this.items
    if (length >= this.source.items.length) return false
    charge(ITEM_BYTES)
    this.items.push(length)
    return true
  }

  holds(): boolean {
    return true
  }

  itemFor(place: Guest): Guest {
    return this.mode === 'keys' ? place : newArrayOf([place, this.source.items[place as number]])
  }
}

/** Live iteration over an object of the platform: by index, so that added items are visited. */
class NativeItems extends LiveItems {
  readonly source: GuestNative
  readonly mode: IteratorMode | undefined

  constructor(source: GuestNative, mode?: IteratorMode) {
    super([])
    this.source = source
    this.mode = mode
  }

  more(): boolean {
    const { length } = this.items
    if (length >= (this.source.count ?? 0)) return false
    charge(ITEM_BYTES)
    this.items.push(length)
    return true
  }

  holds(place: Guest): boolean {
    return (place as number) < (this.source.count ?? 0)
  }

  itemFor(place: Guest): Guest {
    return this.source.itemAt(place as number, this.mode)
  }
}

/** Live iteration over the keys of an object or list: removed keys are not visited. */
class RemainingKeys extends LiveItems {
  readonly source: GuestObject | GuestArray

  constructor(source: GuestObject | GuestArray, keys: Guest[]) {
    super(keys)
    this.source = source
  }

  more(): boolean {
    return false
  }

  holds(key: Guest): boolean {
    const { source } = this
    // A shape never loses a key: an object with a deleted key has become a dictionary.
    if (source instanceof GuestObject) return source.dict === null || hasProperty(source, key as string)
    return (isIndexKey(key as string) && (key as string) in source.items) || source.named?.has(key as string) === true
  }

  itemFor(key: Guest): Guest {
    return key
  }
}

/**
 * Returns what a loop iterates over: a list itself (so that added items are visited), or a live view or copy of other values. An iterator referenced only by
 * the loop (`isFresh`) is replaced by a view of its source, which is faster.
 */
export function iterate(value: Guest, ofKeys: boolean, isFresh: boolean): GuestArray {
  if (ofKeys) return keysOf(value)
  if (value instanceof GuestArray) return value
  if (value instanceof GuestMap) return new KeyedItems(value, 'entries')
  if (value instanceof GuestSet) return new KeyedItems(value, 'values')
  if (value instanceof GuestNative && value.count !== undefined) return new NativeItems(value)
  const view = isFresh ? viewOf(value) : undefined
  if (view !== undefined) return view
  const cursor = cursorOf(value)
  return cursor === undefined ? itemsOf(value) : new CursorItems(value, cursor)
}

/** Returns a loop's view of the source of a new iterator; `undefined` for other values. */
export function viewOf(value: Guest): GuestArray | undefined {
  if (!(value instanceof CollectionIterator) || value.isStarted) return undefined
  const { source, mode } = value
  if (source instanceof GuestArray) return mode === 'values' ? source : new PlacedItems(source, mode)
  if (source instanceof GuestNative) return new NativeItems(source, mode)
  return source instanceof GuestMap || source instanceof GuestSet ? new KeyedItems(source, mode) : undefined
}

/** Items read from an iterator and charged for. */
export class TakenItems extends GuestArray {}

/** A new list of the items of an iterable. */
export function listOf(value: Guest): GuestArray {
  if (value instanceof TakenItems) return value
  if (value instanceof GuestArray) {
    chargeList(value.items.length)
    return new GuestArray(everyItem(value.items))
  }
  if (value instanceof GuestSet) {
    chargeList(value.values.size)
    return new GuestArray([...value.values])
  }
  if (value instanceof GuestMap) {
    chargeList(value.entries.size * 4)
    return new GuestArray([...value.entries].map(([key, item]) => new GuestArray([key, item])))
  }
  if (value instanceof GuestNative && value.count !== undefined) return new GuestArray(nativeItems(value))
  const cursor = cursorOf(value)
  return cursor === undefined ? itemsOf(value) : new GuestArray(allItems(cursor))
}

/** Returns the first items of an iterable without requesting the rest. */
export function firstOf(value: Guest, limit: number): GuestArray {
  if (value instanceof GuestArray || value instanceof GuestMap || value instanceof GuestSet) return listOf(value)
  const cursor = cursorOf(value)
  if (cursor === undefined) return itemsOf(value)
  const items: Guest[] = []
  charge(48)
  let bits = 0
  while (items.length < limit) {
    live.label = 0
    const item = cursor.step()
    bits |= cursor.stepLabel
    if (item === END) break
    bits |= live.label
    charge(ITEM_BYTES)
    items.push(item)
    if (items.length === limit) cursor.close()
  }
  if (limit === 0) cursor.close()
  live.label = bits
  return new GuestArray(items)
}

/** Returns all remaining items of a cursor, charged one by one. */
export function allItems(cursor: Cursor): Guest[] {
  const items: Guest[] = []
  charge(48)
  drain(cursor, (item) => {
    if (items.length >= live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)
    charge(ITEM_BYTES)
    items.push(item)
  })
  return items
}

/** The items of an object of the platform, charged for. */
export function nativeItems(value: GuestNative): Guest[] {
  const length = value.count ?? 0
  chargeList(length)
  return Array.from({ length }, (_, index) => value.itemAt(index))
}

/** The listed keys of an object and of its prototypes; one that is hidden nearer is not listed. */
function listedKeys(object: GuestObject): string[] {
  const met = new Set<string>()
  const listed: string[] = []
  for (let one: GuestObject | null = object; one !== null; one = one.extra?.proto ?? null) {
    chargeList(one.size)
    for (const key of one.listKeys()) if (!met.has(key)) listed.push(key)
    for (const key of one.allKeys()) met.add(key)
  }
  return listed
}

function keysOf(value: Guest): GuestArray {
  if (value instanceof GuestObject) {
    chargeList(value.size)
    return new RemainingKeys(value, value.extra === null ? value.listKeys() : listedKeys(value))
  }
  if (value instanceof GuestArray) {
    chargeList(value.items.length)
    return new RemainingKeys(value, [...Object.keys(value.items), ...(value.named?.keys() ?? [])])
  }
  if (typeof value === 'string') {
    chargeList(value.length)
    return new GuestArray(Array.from({ length: value.length }, (_, index) => String(index)))
  }
  if (value instanceof GuestNative && value.isIndexed) {
    const length = value.count ?? 0
    chargeList(length)
    burn(length * 20)
    return new GuestArray(Array.from({ length }, (_, index) => String(index)))
  }
  if (!(value instanceof BuiltinFunction)) return newArrayOf([])
  burn(100)
  const keys = [...listedMembers(value).keys()]
  chargeList(keys.length)
  return new GuestArray(keys)
}
