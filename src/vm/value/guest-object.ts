import { IN_TRY, burn, live, outOfMemory } from '../meter/live.ts'
import { Stop } from '../meter/stop.ts'
import type { Guest } from './guest.ts'
import type { HeapLabel } from './heap-label.ts'
import { LONG_KEY } from './keyed.ts'
import { Accessor, Extra } from './prototypes/extra.ts'
import { COMPUTED_KEYS_MAX, DICTIONARY } from './shape.ts'
import { isSymbolKey } from './symbols.ts'
import type { Shape } from './shape.ts'

const NO_SLOTS: Guest[] = []

/** Bytes of an object without properties, and of each property. */
export const OBJECT_BYTES = 64
export const PROPERTY_BYTES = 24

/** Additional bytes of objects with a prototype or with accessors. */
export const EXTRA_BYTES = 96

/** A record: a shape with slots, or a dictionary once it has many keys, a deleted key, or is frozen. */
export class GuestObject {
  shape: Shape
  slots: Guest[]
  /** Only dictionary objects are restricted or have accessors: inline caches know the slots of shapes. */
  dict: Map<string, Guest> | null = null
  /** Data that plain objects do not have. */
  extra: Extra | null = null
  /** Labels of the contents: one bit set, or per part; 0 is unlabelled. */
  label: HeapLabel = 0
  /** The heap count that visited it last. */
  mark = 0

  constructor(shape: Shape, slots: Guest[]) {
    this.shape = shape
    this.slots = slots
  }

  /** The value of an own property. A getter runs, for `receiver` if given. */
  get(key: string, receiver: Guest = this): Guest {
    if (key.length > LONG_KEY) return undefined
    if (this.dict !== null) {
      const value = this.dict.get(key)
      return this.extra !== null && this.extra.hasAccessors ? readAccessor(value, receiver) : value
    }
    const slot = this.shape.slotOf(key)
    return slot === undefined ? undefined : this.slots[slot]
  }

  has(key: string): boolean {
    if (key.length > LONG_KEY) return false
    return this.dict === null ? this.shape.slotOf(key) !== undefined : this.dict.has(key)
  }

  /** The own accessor of a key, if it is one. */
  accessor(key: string): Accessor | undefined {
    if (this.extra === null || !this.extra.hasAccessors) return undefined
    const value: unknown = this.dict?.get(key)
    return value instanceof Accessor ? value : undefined
  }

  get integrity(): number {
    return this.extra === null ? 0 : this.extra.integrity
  }

  /** Returns the data that plain objects do not have, created on first use. */
  more(): Extra {
    if (this.extra !== null) return this.extra
    if ((live.memory -= EXTRA_BYTES) < 0) outOfMemory()
    return (this.extra = new Extra())
  }

  get size(): number {
    return this.dict === null ? this.slots.length : this.dict.size
  }

  /** Sets an own property, charging for a new one; `false` when the object does not allow it. Setters do not run. */
  set(key: string, value: Guest): boolean {
    if (key.length > LONG_KEY) throw tooLong(key)
    if (this.dict !== null) return this.#setInDict(key, value)
    const slot = this.shape.slotOf(key)
    if (slot !== undefined) {
      this.slots[slot] = value
      return true
    }
    if ((live.memory -= PROPERTY_BYTES + key.length) < 0) outOfMemory()
    const next = this.shape.add(key)
    if (next === undefined) {
      this.toDictionary().set(key, value)
      return true
    }
    this.slots.push(value)
    this.shape = next
    return true
  }

  /** The same for a computed key: such objects are often tables, for which a shape per key would be wasteful. */
  setComputed(key: string, value: Guest): boolean {
    if (this.dict === null && this.slots.length >= COMPUTED_KEYS_MAX && this.shape.slotOf(key) === undefined)
      this.toDictionary()
    return this.set(key, value)
  }

  #setInDict(key: string, value: Guest): boolean {
    const dict = this.dict!
    if (this.extra !== null && !allowsSet(this.extra, dict, key)) return false
    // A new key shows in the size, which saves a second lookup.
    const { size } = dict
    dict.set(key, value)
    if (dict.size !== size && (live.memory -= PROPERTY_BYTES + key.length) < 0) outOfMemory()
    return true
  }

  delete(key: string): boolean {
    if (!this.has(key)) return true
    const { extra } = this
    if (extra !== null && (extra.integrity !== 0 || extra.sealed?.has(key) === true)) return false
    extra?.hidden?.delete(key)
    extra?.fixed?.delete(key)
    this.toDictionary().delete(key)
    return true
  }

  toDictionary(): Map<string, Guest> {
    if (this.dict !== null) return this.dict
    const dict = new Map<string, Guest>()
    const { keys } = this.shape
    for (let i = 0; i < keys.length; i++) dict.set(keys[i]!, this.slots[i])
    this.dict = dict
    this.shape = DICTIONARY
    this.slots = NO_SLOTS
    return dict
  }

  /** The keys in order, charged for; the caller charges for the list. */
  listKeys(): string[] {
    const { size } = this
    burn(size * 8)
    const keys = this.keys()
    // Integer keys come first, in ascending order.
    if (keys.length > 1 && isIndexKey(keys[0]!)) burn(Math.ceil(size * Math.log2(size)) * 20)
    return keys
  }

  /** Keys of symbols. */
  symbolKeys(): string[] {
    return (this.dict === null ? this.shape.keys : [...this.dict.keys()]).filter(isSymbolKey)
  }

  /** Own keys in JavaScript's order, symbols left out, without charge, for host code. */
  keys(): string[] {
    const keys = this.allKeys()
    const hidden = this.extra?.hidden ?? null
    return hidden === null ? keys : keys.filter((key) => !hidden.has(key))
  }

  /** The same with those that are not listed. */
  allKeys(): string[] {
    const keys = this.dict === null ? this.shape.keys.slice() : [...this.dict.keys()]
    return keys.some(isSpecialKey) ? orderKeys(keys) : keys
  }
}

function allowsSet({ integrity, fixed }: Extra, dict: ReadonlyMap<string, Guest>, key: string): boolean {
  if (fixed !== null && fixed.has(key)) return false
  return integrity === 0 || (integrity === 1 && dict.has(key))
}

/** Reads a property and runs its getter if it has one. The labels read so far become the control flow of the getter and the labels of its arguments. */
function readAccessor(value: unknown, receiver: Guest): Guest {
  if (!(value instanceof Accessor)) return value as Guest
  return value.get === undefined ? undefined : callAccessor(value.get, receiver, [])
}

export function callAccessor(target: Guest, receiver: Guest, args: Guest[]): Guest {
  const { pc, callbackLabel } = live
  live.callbackLabel = live.label
  live.pc |= live.label
  const result = live.machine.invoke(target, args, receiver)
  live.callbackLabel = callbackLabel
  if ((pc & IN_TRY) === 0) live.pc = pc
  return result
}

/** V8 hashes longer keys by their length only, so many of them would make lookups cost more than is charged. */
function tooLong(key: string): Stop {
  const message = `A property name has at most ${LONG_KEY} characters, and this one has ${key.length}. Use a Map: its keys may be longer.`
  return new Stop({ code: 'LIMIT_EXCEEDED', message, info: { limit: 'stringLength', allowed: LONG_KEY } })
}

/** Whether a key is a whole number as JavaScript orders them. */
export function isIndexKey(key: string): boolean {
  const first = key.charCodeAt(0)
  return first >= 48 && first <= 57 && key.length <= 10 && String(Number(key) >>> 0) === key && key !== '4294967295'
}

/** Whether a key is not listed in the order in which it was set: a whole number, or a symbol. */
function isSpecialKey(key: string): boolean {
  const first = key.charCodeAt(0)
  return first === 0xffff || (first >= 48 && first <= 57 && isIndexKey(key))
}

function orderKeys(keys: string[]): string[] {
  const indexes = keys.filter(isIndexKey).sort((a, b) => Number(a) - Number(b))
  return [...indexes, ...keys.filter((key) => !isSpecialKey(key))]
}

/** Makes an object without properties. */
export function newObject(): GuestObject {
  if ((live.memory -= OBJECT_BYTES) < 0) outOfMemory()
  return new GuestObject(live.root, [])
}

/** An error a program made or caught: an object whose name, message and cause are not listed among its keys. */
export class GuestError extends GuestObject {
  /** The built-in constructor it was made with, independent of `name`. */
  readonly kind: string
  name: string
  message: string
  cause: Guest = undefined
  /** Errors of an `AggregateError`. */
  errors: Guest = undefined
  /** The step that failed, in programs. */
  op: string | undefined
  /** The place of that step in the program. */
  path: string | undefined
  /** The position in the source. */
  at: readonly [number, number] | undefined
  /** Data for the host: the code of a failed effect. */
  code: string | undefined

  constructor(name: string, message: string) {
    super(live.root, [])
    this.kind = name
    this.name = name
    this.message = message
  }
}
