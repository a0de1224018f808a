import { adopted, created } from '../compile/script/construct.ts'
import { privatesOf, readSuper } from '../compile/script/emit/emit-classes.ts'
import type { Emitter } from '../compile/emit/emitter.ts'
import { nameOf } from '../compile/emit/emit-calls.ts'
import type { ClassEx, New, Private, Super } from '../compile/ir.ts'
import type { EmitExpr } from '../compile/language.ts'
import { locate } from '../compile/error-location.ts'
import { live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { toKey } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestFunction } from '../value/guest-function.ts'
import type { Closure } from '../value/guest-function.ts'
import { GuestObject } from '../value/guest-object.ts'
import { prototypeOf } from '../value/prototypes/lookup.ts'
import { thrown } from '../value/thrown.ts'
import { noteAlternativeCallbacks } from './alternative-targets.ts'
import { CHOSEN, isChosen } from './bits.ts'
import { emitArguments } from './calls.ts'
import { callFunction } from './function-entry.ts'
import type { ArgumentLabels, Receiver } from './function-entry.ts'
import { inheritedLabel, isHolder, partLabel, raiseLabel, structureLabel } from './heap.ts'
import { callWithRaisedPc, construct } from './labelled-call.ts'
import { isImpure } from './rules/purity.ts'
import { noteMayThrow } from './rules/variables.ts'

/** A class whose parent or keys depend on labelled data: the properties of its objects depend on it too. */
export const classValue = (base: EmitExpr) =>
  function labelled(node: ClassEx, emit: Emitter): Closure {
    const make = base(node as never, emit)
    return (frame) => {
      const outer = live.label
      if (outer !== 0) noteMayThrow()
      live.label = 0
      const made = make(frame) as GuestFunction
      if (live.label !== 0) {
        noteMayThrow()
        const proto = prototypeOf(made)
        raiseLabel(made, live.label | CHOSEN)
        if (isHolder(proto)) raiseLabel(proto, live.label | CHOSEN)
      }
      live.label |= outer
      return made
    }
  }

/** Constructs with a function that initializes `this`. Its return value is used only if it is an object. */
function constructByFunction(target: GuestFunction, values: Guest[], bits: ArgumentLabels, origin: Receiver): Guest {
  const self = created(origin.self)
  if (origin.bits !== 0) raiseLabel(self, origin.bits | CHOSEN)
  const result = callFunction(target, values, bits, { self, bits: origin.bits })
  return typeof result === 'object' && result !== null ? result : self
}

function constructOwn(target: GuestFunction, values: Guest[], bits: ArgumentLabels, origin: Receiver): Guest {
  if (target.code.receives !== 'new') return constructByFunction(target, values, bits, origin)
  return callFunction(target, values, bits, { ...origin, isNew: true })
}

export function newObject(node: New, emit: Emitter): Closure {
  const callee = emit.ex(node.callee)
  const args = emitArguments(node.args, emit)
  const origin = node.target === undefined ? undefined : emit.ex(node.target)
  const { at } = node
  const name = nameOf(node.callee)
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = 0
    const target = callee(frame)
    const calleeLabel = live.label
    if (calleeLabel !== 0) noteMayThrow()
    live.label = outer
    const bits: ArgumentLabels = []
    const values = args(frame, bits)
    live.label = 0
    const self = origin === undefined ? target : origin(frame)
    const from: Receiver = { self, bits: origin === undefined ? calleeLabel : live.label }
    live.label = outer
    try {
      if (target instanceof GuestFunction && target.code.isConstructor) {
        if (calleeLabel === 0) return constructOwn(target, values, bits, from)
        return callWithRaisedPc(target, calleeLabel, () => constructOwn(target, values, bits, from))
      }
      live.label |= calleeLabel
      // In another execution, the target may have been a class of the program.
      if (isChosen(calleeLabel) && isImpure(emit.unit)) live.heapFloor |= calleeLabel
      if (target instanceof BuiltinFunction && target.construct !== undefined) {
        if (live.isLabelled && target.path === 'Promise') noteAlternativeCallbacks([0], { bits, site: node }, emit.unit)
        const made = adopted(construct(target, values, bits), target, self)
        if (from.bits !== 0 && isHolder(made)) raiseLabel(made, from.bits | CHOSEN)
        return made
      }
      throw thrown('TypeError', `${name ?? 'This'} is not a constructor`)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** `super.name` carries the labels of the parent's properties. */
export function superRead({ object, key: name, self, isStatic, at }: Super, emit: Emitter): Closure {
  const parent = emit.ex(object)
  const key = emit.ex(name)
  const receiver = emit.ex(self)
  return (frame) => {
    const from = parent(frame)
    const place = toKey(key(frame))
    const holder = from instanceof GuestFunction && !isStatic ? prototypeOf(from) : from
    const reader = receiver(frame)
    if (isHolder(holder)) live.label |= partLabel(holder, place) | live.heapFloor
    if (holder instanceof GuestObject) live.label |= inheritedLabel(holder, place)
    try {
      return readSuper(from, place, reader, isStatic)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** Whether an object has a private property is labelled like the structure of its private properties. */
export const privates = (base: EmitExpr) =>
  function labelled(node: Private, emit: Emitter): Closure {
    if (node.act !== 'has') return base(node as never, emit)
    const object = emit.ex(node.object)
    return (frame) => {
      const value = object(frame)
      const own = value instanceof GuestFunction ? value.own : value
      const holder = own instanceof GuestObject ? own.extra?.privates : undefined
      live.label |= live.heapFloor | (isHolder(holder) ? structureLabel(holder) : 0)
      return privatesOf(value, node)
    }
  }
