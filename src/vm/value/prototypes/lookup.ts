import { burn, live } from '../../meter/live.ts'
import { refused } from '../../meter/stop.ts'
import type { Guest } from '../guest.ts'
import type { GuestFunction } from '../guest-function.ts'
import { GuestObject, callAccessor, newObject } from '../guest-object.ts'
import { thrown } from '../thrown.ts'
import { Accessor } from './extra.ts'

/** Units per prototype that a lookup passes. */
const LINK = 10

/** The nearest prototype that has a key. */
export function inheritedFrom(object: GuestObject, key: string): GuestObject | undefined {
  let holder = object.extra?.proto ?? null
  while (holder !== null) {
    burn(LINK)
    if (holder.has(key)) return holder
    holder = holder.extra?.proto ?? null
  }
  return undefined
}

/** Whether an object has no built-in methods: its last prototype is `null` and not that of all objects. */
export function isBare(object: GuestObject): boolean {
  let one = object
  for (let next = nextLink(one); next !== null; next = nextLink(one)) one = next
  return one.extra !== null && one.extra.isBare
}

/** The value of a property of an object or of its prototypes; `undefined` if there is none. Getters run for `receiver`. */
export function readProperty(object: GuestObject, key: string, receiver: Guest = object): Guest {
  if (object.extra === null || object.has(key)) return object.get(key, receiver)
  return inheritedFrom(object, key)?.get(key, receiver)
}

/** Whether an object or one of its prototypes has a key. */
export function hasProperty(object: GuestObject, key: string): boolean {
  return object.has(key) || (object.extra !== null && inheritedFrom(object, key) !== undefined)
}

/** `object.key = value` of an object that is not plain: setters run, also those of prototypes. `false` if it is not allowed. */
export function assignProperty(object: GuestObject, key: string, value: Guest, receiver: Guest = object): boolean {
  const holder = object.has(key) ? object : inheritedFrom(object, key)
  const accessor = holder?.accessor(key)
  if (accessor !== undefined) {
    if (accessor.set === undefined) return false
    callAccessor(accessor.set, receiver, [value])
    return true
  }
  if (holder !== undefined && holder !== object && isFixed(holder, key)) return false
  return object.set(key, value)
}

function isFixed({ extra }: GuestObject, key: string): boolean {
  return extra !== null && (extra.integrity === 2 || extra.fixed?.has(key) === true)
}

/** Charges for and returns the next prototype, if there is one: scripts can create chains of any length. */
function nextLink({ extra }: GuestObject): GuestObject | null {
  const next = extra?.proto ?? null
  if (next !== null) burn(LINK)
  return next
}

/** Whether a prototype, or one of its prototypes, has properties that a plain assignment must respect. */
function guardsSets(proto: GuestObject | null): boolean {
  for (let one = proto; one !== null; one = nextLink(one))
    if (one.extra !== null && (one.extra.hasAccessors || one.extra.fixed !== null || one.extra.integrity === 2))
      return true
  return false
}

/** Makes an object with a prototype. */
export function newInstance(proto: GuestObject | null): GuestObject {
  const made = newObject()
  if (proto === null) return made
  made.more().proto = proto
  proto.more().isInUse = true
  made.shape = live.root.instances(guardsSets(proto))
  return made
}

/** Makes an object without a prototype. */
export function newBare(): GuestObject {
  const made = newObject()
  made.more().isBare = true
  return made
}

/** Changes the prototype of an object. */
export function setPrototype(object: GuestObject, proto: GuestObject | null): void {
  for (let one = proto; one !== null; one = nextLink(one))
    if (one === object) throw thrown('TypeError', 'Cyclic __proto__ value')
  if (object.extra?.isInUse === true && guardsSets(proto))
    throw refused(
      'Its prototype cannot get accessors any more. Write `class … extends …`, or set it before the first object.',
    )
  object.more().proto = proto
  if (proto !== null) proto.more().isInUse = true
  // Inline caches know its slots as those of a plain object.
  object.toDictionary()
}

/** Makes an own property that is not listed. */
export function defineHidden(object: GuestObject, key: string, value: Guest): void {
  object.toDictionary()
  object.set(key, value)
  ;(object.more().hidden ??= new Set()).add(key)
}

/** Throws if a prototype in use gets its first accessor or fixed property, because inline caches of its objects would miss it. */
export function checkGuard({ extra }: GuestObject): void {
  if (extra === null || !extra.isInUse || extra.hasAccessors || extra.fixed !== null) return
  throw refused(
    'A prototype that is in use gets no accessors and no fixed properties. Write them in the class, or define them before the first object.',
  )
}

/** Makes a getter or setter, or adds one to the other. */
export function defineAccessor(
  object: GuestObject,
  key: string,
  { get, set }: Partial<Accessor>,
  isListed: boolean,
): void {
  const extra = object.more()
  checkGuard(object)
  const known = object.accessor(key)
  const made = new Accessor(get ?? known?.get, set ?? known?.set)
  if (known === undefined) object.toDictionary().delete(key)
  object.set(key, undefined)
  object.dict!.set(key, made as never)
  extra.hasAccessors = true
  if (isListed) extra.hidden?.delete(key)
  else (extra.hidden ??= new Set()).add(key)
}

/** The own properties of a function, made on first use. */
export function ownOf(fn: GuestFunction): GuestObject {
  return (fn.own ??= newObject())
}

/** The prototype of what a function constructs; `undefined` for functions that construct nothing. */
export function prototypeOf(fn: GuestFunction): Guest {
  const known = fn.own?.get('prototype')
  if (known !== undefined || !fn.code.isConstructor) return known
  const made = newObject()
  defineHidden(made, 'constructor', fn)
  defineHidden(ownOf(fn), 'prototype', made)
  return made
}

/** Reads a property of a function: its own, or one of the class that it extends. */
export function readStatic(fn: GuestFunction, key: string): Guest {
  if (key === 'prototype') return prototypeOf(fn)
  return fn.own === null ? undefined : readProperty(fn.own, key, fn)
}

export function hasStatic(fn: GuestFunction, key: string): boolean {
  if (key === 'prototype') return prototypeOf(fn) !== undefined
  return fn.own !== null && hasProperty(fn.own, key)
}

/** Properties of functions that cannot be assigned unless a class declares them. */
const UNSETTABLE: ReadonlySet<string> = new Set(['name', 'length', 'caller', 'arguments'])

/** Sets a property of a function; `false` if it is not allowed. */
export function assignStatic(fn: GuestFunction, key: string, value: Guest): boolean {
  if (key === 'prototype') {
    if (fn.code.receives === 'new') return false
    if (!(value instanceof GuestObject))
      throw refused('The prototype of a function is an object: `F.prototype = { … }`.')
    defineHidden(ownOf(fn), key, value)
    return true
  }
  if (UNSETTABLE.has(key) && !hasStatic(fn, key)) return false
  const own = ownOf(fn)
  return own.extra === null ? own.set(key, value) : assignProperty(own, key, value, fn)
}
