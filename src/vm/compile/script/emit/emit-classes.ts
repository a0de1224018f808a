import { charge, chargeString } from '../../../meter/live.ts'
import { BuiltinFunction, WRAPPERS } from '../../../value/builtin-function.ts'
import { receiverOf, toKey } from '../../../value/convert.ts'
import type { Guest } from '../../../value/guest.ts'
import { newArrayOf } from '../../../value/guest-array.ts'
import { GuestFunction } from '../../../value/guest-function.ts'
import type { Closure, Frame } from '../../../value/guest-function.ts'
import { GuestObject, newObject } from '../../../value/guest-object.ts'
import { getNamed } from '../../../value/property.ts'
import {
  defineAccessor,
  defineHidden,
  newInstance,
  ownOf,
  prototypeOf,
  readProperty,
} from '../../../value/prototypes/lookup.ts'
import { touchKey } from '../../../value/text/text.ts'
import { thrown } from '../../../value/thrown.ts'
import { live } from '../../../meter/live.ts'
import { refused } from '../../../meter/stop.ts'
import { emitArguments, nameOf } from '../../emit/emit-calls.ts'
import type { Emitter } from '../../emit/emitter.ts'
import type { ClassEx, ClassMember, Create, New, Private, Strings, Super } from '../../ir.ts'
import type { EmitExpr } from '../../language.ts'
import { locate } from '../../error-location.ts'
import { cannotExtend, construct, created } from '../construct.ts'

/** Whether a class can extend a built-in, because its objects can have further properties. */
function isExtensible(parent: BuiltinFunction): boolean {
  return parent.path === 'Object' || parent.path.endsWith('Error')
}

/** Checks the parent of a class, and returns the prototype for its own prototype. */
function parentPrototype(parent: Guest): GuestObject | null {
  if (parent === null) return null
  if (parent instanceof BuiltinFunction && (parent.construct !== undefined || WRAPPERS.includes(parent.path))) {
    if (!isExtensible(parent)) throw cannotExtend(parent.path)
    return null
  }
  const proto = parent instanceof GuestFunction && parent.code.isConstructor ? prototypeOf(parent) : undefined
  if (proto instanceof GuestObject) return proto
  throw thrown('TypeError', 'Class extends value is not a constructor or null')
}

type Define = (frame: Frame, made: GuestFunction, proto: GuestObject) => void

function emitMember({ key, value: node, kind, isStatic }: ClassMember, emit: Emitter): Define {
  const value = emit.ex(node)
  const name: Closure = typeof key === 'string' ? () => key : emit.ex(key)
  return (frame, made, proto) => {
    const place = toKey(name(frame))
    touchKey(place)
    const holder = isStatic ? ownOf(made) : proto
    const fn = value(frame)
    if (isStatic && place === 'prototype')
      throw thrown('TypeError', 'Classes may not have a static property named prototype')
    if (kind !== 'method') return defineAccessor(holder, place, kind === 'get' ? { get: fn } : { set: fn }, false)
    if (holder.accessor(place) !== undefined) holder.delete(place)
    defineHidden(holder, place, fn)
  }
}

/** Emits a class: the constructor function with its prototype. */
function emitClass(node: ClassEx, emit: Emitter): Closure {
  const parent = node.parent === undefined ? undefined : emit.ex(node.parent)
  const make = emit.ex(node.value)
  const members = node.members.map((member) => emitMember(member, emit))
  const { at } = node
  return (frame) => {
    try {
      const base = parent?.(frame)
      const proto = newInstance(base === undefined ? null : parentPrototype(base))
      // Its properties are not listed, so it is a dictionary from the start.
      proto.toDictionary()
      const made = make(frame) as GuestFunction
      defineHidden(proto, 'constructor', made)
      const own = (made.own = newInstance(base instanceof GuestFunction ? ownOf(base) : null))
      defineHidden(own, 'prototype', proto)
      ;(own.more().sealed ??= new Set()).add('prototype')
      for (const define of members) define(frame, made, proto)
      return made
    } catch (error) {
      throw locate(error, at)
    }
  }
}

function emitCreate({ argument }: Create, emit: Emitter): Closure {
  const origin = emit.ex(argument)
  return (frame) => created(origin(frame))
}

function emitNew(node: New, emit: Emitter): Closure {
  const callee = emit.ex(node.callee)
  const args = emitArguments(node.args, emit)
  const origin = node.target === undefined ? undefined : emit.ex(node.target)
  const { at } = node
  const name = nameOf(node.callee)
  return (frame) => {
    const target = callee(frame)
    const values = args(frame)
    try {
      return construct(target, values, origin === undefined ? target : origin(frame), name)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** Reads `super.name`: a property of the parent, with the current object as receiver. */
export function readSuper(parent: Guest, key: Guest, self: Guest, isStatic: boolean): Guest {
  const name = toKey(key)
  const from = isStatic || !(parent instanceof GuestFunction) ? parent : prototypeOf(parent)
  const holder = from instanceof GuestFunction ? ownOf(from) : from
  if (holder instanceof GuestObject) {
    const found = readProperty(holder, name, self)
    if (found !== undefined) return found
  }
  if (isStatic) return from === null ? undefined : getNamed(from, name)
  // The methods that errors and all objects have.
  return live.machine.builtins.methods.get(receiverOf(self) ?? 'object')?.get(name)
}

function emitSuper({ object, key, self, isStatic, at }: Super, emit: Emitter): Closure {
  const parent = emit.ex(object)
  const name = emit.ex(key)
  const receiver = emit.ex(self)
  return (frame) => {
    try {
      return readSuper(parent(frame), name(frame), receiver(frame), isStatic)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** Returns the holder of the private properties of a value, if it can have any. */
function holderOf(value: Guest): GuestObject | undefined {
  if (value instanceof GuestFunction) return ownOf(value)
  return value instanceof GuestObject ? value : undefined
}

/** Returns the private properties of a value after checking that it has `name`; for `has`, whether it has. */
export function privatesOf(value: Guest, { name, act }: Pick<Private, 'name' | 'act'>): Guest {
  const holder = holderOf(value)
  const privates = holder?.extra?.privates ?? null
  const isThere = privates !== null && privates.has(name)
  const shown = name.slice(0, name.indexOf(':'))
  if (act === 'has') {
    if (typeof value !== 'object' || value === null)
      throw thrown('TypeError', `Cannot use 'in' operator to search for '${shown}' in ${String(value)}`)
    return isThere
  }
  if (act === 'define') {
    if (holder === undefined || isThere)
      throw refused(`\`${shown}\` is there already: one object takes the private fields of a class once.`)
    return privates ?? (holder.more().privates = newObject())
  }
  if (!isThere)
    throw thrown('TypeError', `Cannot read private member ${shown} from an object whose class did not declare it`)
  return privates
}

function emitPrivate(node: Private, emit: Emitter): Closure {
  const object = emit.ex(node.object)
  const { at } = node
  return (frame) => {
    const value = object(frame)
    try {
      return privatesOf(value, node)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** Emits the texts of a tagged template: a frozen list with the raw texts as a property. */
function emitStrings({ cooked, raw }: Strings): Closure {
  let length = 0
  for (const text of raw) length += text.length
  return () => {
    chargeString(length * 2)
    charge(256)
    const made = newArrayOf(cooked.map((text) => text ?? undefined))
    const beside = newArrayOf([...raw])
    beside.isFrozen = true
    made.named = newObject()
    defineHidden(made.named, 'raw', beside)
    made.isFrozen = true
    return made
  }
}

/** Emitters of classes, constructed objects and tagged templates. */
export const CLASS_EXPRS: readonly (readonly [string, EmitExpr])[] = [
  ['class', emitClass],
  ['create', emitCreate],
  ['new', emitNew],
  ['super', emitSuper],
  ['private', emitPrivate],
  ['strings', emitStrings],
]
