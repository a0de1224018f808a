import { callOne, invoke0, invoke1, invoke2, notCallable } from '../../../machine/invoke.ts'
import { firstOf, listOf } from '../../../machine/iteration/iterate.ts'
import { burn, charge, chargeList, live } from '../../../meter/live.ts'
import { BuiltinFunction, listedMembers } from '../../../value/builtin-function.ts'
import { GuestRegExp } from '../../../value/collections.ts'
import { isCallable, toKey, toText } from '../../../value/convert.ts'
import type { Guest } from '../../../value/guest.ts'
import { GuestArray, ITEM_BYTES } from '../../../value/guest-array.ts'
import { Box, GuestFunction } from '../../../value/guest-function.ts'
import type { Closure, Frame } from '../../../value/guest-function.ts'
import { GuestObject, newObject } from '../../../value/guest-object.ts'
import { GuestNative } from '../../../value/native/guest-native.ts'
import { touch, touchKey } from '../../../value/text/text.ts'
import { thrown } from '../../../value/thrown.ts'
import { SKIP } from '../../emit/emit-access.ts'
import { emitArguments, emitCall, nameOf } from '../../emit/emit-calls.ts'
import type { Emitter } from '../../emit/emitter.ts'
import type {
  Call,
  Chain,
  Ex,
  Fn,
  ListEx,
  ObjectEx,
  Property,
  Omit,
  Regex,
  Sequence,
  Spread,
  ToList,
} from '../../ir.ts'
import type { EmitExpr } from '../../language.ts'
import { locate } from '../../error-location.ts'
import { defineAccessor } from '../../../value/prototypes/lookup.ts'
import { CLASS_EXPRS } from './emit-classes.ts'
import { makeFunction } from '../make-function.ts'

function func(node: Fn, emit: Emitter): Closure {
  const make = makeFunction(node, emit)
  if (node.self === undefined) return make
  const { slot } = node.self
  return (frame) => {
    charge(32)
    const box = new Box(undefined)
    frame[slot] = box
    return (box.value = make(frame))
  }
}

function sequence(node: Sequence, emit: Emitter): Closure {
  const items = node.items.map((item) => emit.ex(item))
  return (frame) => {
    let value: Guest
    for (let i = 0; i < items.length; i++) value = items[i]!(frame)
    return value
  }
}

/** Regular expressions are created by the built-in, which has the engine. */
function regex({ pattern, flags, at }: Regex): Closure {
  return () => {
    const maker = live.machine.builtins.globals.get('RegExp')
    if (maker instanceof BuiltinFunction && maker.construct !== undefined) {
      try {
        return maker.construct([pattern, flags])
      } catch (error) {
        throw locate(error, at)
      }
    }
    return new GuestRegExp(pattern, flags)
  }
}

function chain(node: Chain, emit: Emitter): Closure {
  const before = emit.inChain
  emit.inChain = true
  const expression = emit.ex(node.expression)
  emit.inChain = before
  return (frame) => {
    const value = expression(frame)
    return value === SKIP ? undefined : value
  }
}

function list(node: ListEx, emit: Emitter): Closure {
  const items = emitArguments(node.items, emit)
  const bytes = 48 + node.items.length * ITEM_BYTES
  if (node.items.some((item) => item.k === 'lit' && item.isHole === true)) return listWithGaps(node, bytes, emit)
  return (frame) => {
    charge(bytes)
    return new GuestArray(items(frame))
  }
}

function listWithGaps(node: ListEx, bytes: number, emit: Emitter): Closure {
  // Each item as a list: a spread gives several values, a hole none.
  const parts = node.items.map((item) =>
    item.k === 'lit' && item.isHole === true ? undefined : emitArguments([item], emit),
  )
  return (frame) => {
    charge(bytes)
    const made = new GuestArray([])
    made.hasGaps = true
    for (const part of parts) {
      if (part === undefined) made.items.length += 1
      else for (const item of part(frame)) made.items.push(item)
    }
    return made
  }
}

const plainObject = (base: EmitExpr) =>
  function object(node: ObjectEx, emit: Emitter): Closure {
    if (!node.properties.some((property) => 'k' in property || property.kind !== undefined))
      return base(node as never, emit)
    const parts = node.properties.map((property) => emitProperty(property as never, emit))
    return (frame) => {
      const made = newObject()
      for (const part of parts) part(frame, made)
      return made
    }
  }

function emitProperty(property: Spread | Property, emit: Emitter): (frame: Frame, into: GuestObject) => void {
  if ('k' in property) {
    const argument = emit.ex(property.argument)
    return (frame, into) => copyInto(into, argument(frame), undefined)
  }
  const value = emit.ex(property.value)
  const { key, kind } = property
  if (kind !== undefined) {
    const name: Closure = typeof key === 'string' ? () => key : emit.ex(key)
    return (frame, into) => {
      const place = toKey(name(frame))
      touchKey(place)
      defineAccessor(into, place, kind === 'get' ? { get: value(frame) } : { set: value(frame) }, true)
    }
  }
  if (typeof key === 'string') return (frame, into) => setOwn(into, key, value(frame))
  const computed = emit.ex(key)
  return (frame, into) => {
    const name = toKey(computed(frame))
    touchKey(name)
    setOwn(into, name, value(frame))
  }
}

/** Sets an own property. A later property of the same name replaces an accessor. */
function setOwn(into: GuestObject, key: string, value: Guest): void {
  if (into.accessor(key) !== undefined) into.dict!.delete(key)
  into.setComputed(key, value)
}

function unitsOf(text: string): string[] {
  touch(text)
  chargeList(text.length)
  return text.split('')
}

/** Copies own properties, without some keys. */
function copyInto(into: GuestObject, value: Guest, without: ReadonlySet<string> | undefined): void {
  if (value instanceof GuestObject) {
    for (const key of value.listKeys()) {
      burn(50)
      if (!without?.has(key)) setOwn(into, key, value.get(key))
    }
    for (const key of value.symbolKeys()) if (!without?.has(key)) into.set(key, value.get(key))
  } else if (value instanceof GuestArray || typeof value === 'string') {
    // A text gives its UTF-16 units; a list also its named properties.
    if (typeof value !== 'string') burn(value.items.length << 3)
    const items = typeof value === 'string' ? unitsOf(value) : value.items
    items.forEach((item, i) => {
      if (!without?.has(String(i))) into.setComputed(String(i), item)
    })
    if (typeof value !== 'string' && value.named !== null) copyInto(into, value.named, without)
  } else if (value instanceof GuestNative && value.isIndexed) {
    const length = value.count!
    burn(length * 50)
    for (let i = 0; i < length; i++) if (!without?.has(String(i))) into.setComputed(String(i), value.itemAt(i))
  } else if (value instanceof BuiltinFunction) {
    const members = listedMembers(value)
    burn(members.size * 50)
    for (const [key, member] of members) if (!without?.has(key)) into.setComputed(key, member)
  }
}

function omit(node: Omit, emit: Emitter): Closure {
  const argument = emit.ex(node.argument)
  const keys = node.keys.map((key) => emit.ex(key))
  return (frame) => {
    const value = argument(frame)
    if (value === null || value === undefined)
      throw thrown('TypeError', `Cannot destructure '${toText(value)}' as it is ${toText(value)}.`)
    const made = newObject()
    copyInto(made, value, new Set(keys.map((key) => toKey(key(frame)))))
    return made
  }
}

function toList(node: ToList, emit: Emitter): Closure {
  const argument = emit.ex(node.argument)
  const { at, limit } = node
  return (frame) => {
    try {
      return limit === undefined ? listOf(argument(frame)) : firstOf(argument(frame), limit)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** Recognises `n - 1` (local plus constant), the usual argument of recursive calls; slot below 0 for anything else. */
function stepOf(node: Ex, emit: Emitter): readonly [slot: number, by: number] {
  if (node.k !== 'binary' || (node.op !== '-' && node.op !== '+') || node.right.k !== 'lit') return [-1, 0]
  const { value } = node.right
  return typeof value === 'number' ? [emit.slot(node.left), node.op === '-' ? -value : value] : [-1, 0]
}

/** Calls with few arguments avoid the argument array. */
function call(node: Call, emit: Emitter): Closure {
  const hasSpread = node.args.some((arg) => arg.k === 'spread')
  if (node.optional || emit.inChain || hasSpread || node.args.length > 2) return emitCall(node, emit)
  const callee = emit.ex(node.callee)
  const { at } = node
  const name = nameOf(node.callee)
  const [first, second] = node.args.map((arg) => emit.ex(arg))
  const refuse = (target: Guest): never => {
    throw locate(notCallable(target, name), at)
  }
  const other = (target: Guest, value: Guest): Guest => (isCallable(target) ? invoke1(target, value) : refuse(target))
  if (first === undefined)
    return (frame) => {
      const target = callee(frame)
      return isCallable(target) ? invoke0(target) : refuse(target)
    }
  if (second === undefined) {
    // Fast path for recursion: the callee is in a captured box, its argument often a local.
    if (node.callee.k === 'var' && node.callee.ref?.to === 'box' && !node.callee.ref.variable.isChecked) {
      const { up } = node.callee.ref
      const [slot, by] = stepOf(node.args[0]!, emit)
      if (slot >= 0)
        return (frame) => {
          const target = frame[0][up]!.value
          const before = frame[slot] as Guest
          const value = typeof before === 'number' ? before + by : first(frame)
          return target instanceof GuestFunction ? callOne(target, value) : other(target, value)
        }
      return (frame) => {
        const target = frame[0][up]!.value
        const value = first(frame)
        return target instanceof GuestFunction ? callOne(target, value) : other(target, value)
      }
    }
    return (frame) => {
      const target = callee(frame)
      const value = first(frame)
      return target instanceof GuestFunction ? callOne(target, value) : other(target, value)
    }
  }
  return (frame) => {
    const target = callee(frame)
    const one = first(frame)
    const two = second(frame)
    return isCallable(target) ? invoke2(target, one, two) : refuse(target)
  }
}

/** Emitters of script-only expressions, and of those with more features in scripts. */
export function scriptExprs(base: ReadonlyMap<string, EmitExpr>): readonly (readonly [string, EmitExpr])[] {
  return [
    ['fn', func],
    ['sequence', sequence],
    ['regex', regex],
    ['chain', chain],
    ['list', list],
    ['object', plainObject(base.get('object')!)],
    ['omit', omit],
    ['tolist', toList],
    ['call', call],
    ...CLASS_EXPRS,
  ]
}
