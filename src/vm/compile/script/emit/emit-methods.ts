import { invoke, invoke0, invoke1, invoke2, notCallable } from '../../../machine/invoke.ts'
import { live } from '../../../meter/live.ts'
import { BuiltinFunction } from '../../../value/builtin-function.ts'
import type { Builtin } from '../../../value/builtin-function.ts'
import { GuestMap, GuestRegExp, GuestSet } from '../../../value/collections.ts'
import { isCallable, toKey } from '../../../value/convert.ts'
import type { Guest } from '../../../value/guest.ts'
import { GuestArray } from '../../../value/guest-array.ts'
import { GuestFunction } from '../../../value/guest-function.ts'
import type { Closure, Frame } from '../../../value/guest-function.ts'
import { GuestObject } from '../../../value/guest-object.ts'
import { getKeyed } from '../../../value/property.ts'
import { hasProperty, readProperty } from '../../../value/prototypes/lookup.ts'
import {
  callBuiltin,
  callFound,
  emitArguments,
  emitMethod,
  findMethod,
  listOfArguments,
  nameOf,
  slowMethod,
} from '../../emit/emit-calls.ts'
import type { Arguments } from '../../emit/emit-calls.ts'
import type { Emitter } from '../../emit/emitter.ts'
import type { Found, Method, Temp } from '../../ir.ts'
import { locate } from '../../error-location.ts'

/** The method alone. */
export function emitFound({ object: node, name, at }: Found, emit: Emitter): Closure {
  const object = emit.ex(node)
  const key: Closure = typeof name === 'string' ? () => name : emit.ex(name)
  return (frame) => {
    try {
      const target = object(frame)
      const index = key(frame)
      return typeof index === 'number' ? getKeyed(target, index) : findMethod(target, toKey(index))
    } catch (error) {
      throw locate(error, at)
    }
  }
}

function emitCallFound(node: Method, found: Temp, emit: Emitter): Closure {
  const { slot } = found
  const object = emit.ex(node.object)
  const args = emitArguments(node.args, emit)
  const name =
    typeof node.name === 'string'
      ? nameOf({ k: 'member', object: node.object, name: node.name, optional: false, lenient: false })
      : undefined
  return (frame) => {
    const values = args(frame)
    const target = frame[slot] as Guest
    try {
      if (!isCallable(target)) throw notCallable(target, name)
      return callFound(target, object(frame), values)
    } catch (error) {
      throw locate(error, node.at)
    }
  }
}

/** A method call with a constant name: built-ins are looked up at compile time. */
export function emitFastMethod(node: Method, emit: Emitter): Closure {
  if (node.found !== undefined) return emitCallFound(node, node.found, emit)
  if (typeof node.name !== 'string' || node.optional || node.optionalCall || emit.inChain) return emitMethod(node, emit)
  const known = emitKnown(node, node.name, emit)
  if (known !== undefined) return known
  const { name } = node
  const slow = slowMethod(node)
  const others = builtinsOfOthers(name, emit)
  const call = directMethod(node)
  const { methods } = emit.unit.builtins
  const onArray = methods.get('array')?.get(name)?.builtin
  const onText = methods.get('string')?.get(name)?.builtin
  const object = emit.ex(node.object)
  const hasSpread = node.args.some((arg) => arg.k === 'spread')
  const args = hasSpread ? [] : node.args.map((arg) => emit.ex(arg))
  // Argument closures are made once; making them per form would double the work at each nesting level.
  const rest = hasSpread ? emitArguments(node.args, emit) : listOfArguments(args)
  const [first, second] = args
  const local = emit.slot(node.object)
  if (args.length === 1 && first !== undefined && args.length === node.args.length)
    return (frame) => {
      const target = local >= 0 ? (frame[local] as Guest) : object(frame)
      const builtin = target instanceof GuestArray ? onArray : typeof target === 'string' ? onText : undefined
      if (builtin?.one !== undefined) {
        if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
        return builtin.one(target, first(frame))
      }
      if (target instanceof GuestObject && hasProperty(target, name)) {
        const own = readProperty(target, name)
        return takesThis(own) ? invoke(own, [first(frame)], target) : invoke1(own, first(frame))
      }
      const found = builtin ?? others(target)
      if (found === undefined || hasMembers(target)) return slow(target, name, rest, frame)
      if (found.one === undefined) return call(found, target, rest, frame)
      const value = first(frame)
      if ((live.fuel -= found.cost) < 0) live.machine.refuel()
      return found.one(target, value)
    }
  if (args.length === 2 && first !== undefined && second !== undefined && args.length === node.args.length)
    return (frame) => {
      const target = object(frame)
      const builtin = target instanceof GuestArray ? onArray : typeof target === 'string' ? onText : undefined
      if (builtin?.two !== undefined) {
        if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
        return builtin.two(target, first(frame), second(frame))
      }
      if (target instanceof GuestObject && hasProperty(target, name)) {
        const own = readProperty(target, name)
        if (takesThis(own)) return invoke(own, [first(frame), second(frame)], target)
        return invoke2(own, first(frame), second(frame))
      }
      const found = builtin ?? others(target)
      if (found === undefined || hasMembers(target)) return slow(target, name, rest, frame)
      if (found.two === undefined) return call(found, target, rest, frame)
      const a = first(frame)
      const b = second(frame)
      if ((live.fuel -= found.cost) < 0) live.machine.refuel()
      return found.two(target, a, b)
    }
  if (node.args.length === 0) return emitBare(node, object, { onArray, onText, others }, slow)
  return (frame) => slow(object(frame), name, rest, frame)
}

function takesThis(value: Guest): boolean {
  return !(value instanceof GuestFunction) || value.code.receives !== undefined
}

/** Returns the built-ins of maps, sets and regular expressions for a method name. */
function builtinsOfOthers(name: string, emit: Emitter): (target: Guest) => Builtin | undefined {
  const { methods } = emit.unit.builtins
  const onMap = methods.get('map')?.get(name)?.builtin
  const onSet = methods.get('set')?.get(name)?.builtin
  const onRegExp = methods.get('regexp')?.get(name)?.builtin
  return (target) => {
    if (target instanceof GuestMap) return onMap
    if (target instanceof GuestSet) return onSet
    return target instanceof GuestRegExp ? onRegExp : undefined
  }
}

/** Whether an own member may hide the built-in method. Lists can have own members, such as the results of `exec`. */
function hasMembers(target: Guest): boolean {
  return target instanceof GuestArray && target.named !== null
}

/** Calls a built-in that was found at compile time. */
function directMethod({ at }: Method): (builtin: Builtin, target: Guest, args: Arguments, frame: Frame) => Guest {
  return (builtin, target, args, frame) => {
    try {
      return callBuiltin(builtin, target, args(frame))
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** The built-ins for a method name. */
interface OfTypes {
  readonly onArray: Builtin | undefined
  readonly onText: Builtin | undefined
  readonly others: (target: Guest) => Builtin | undefined
}

/** A method without arguments. */
function emitBare(
  node: Method,
  object: Closure,
  { onArray, onText, others }: OfTypes,
  slow: ReturnType<typeof slowMethod>,
): Closure {
  const key = node.name as string
  const nothing = listOfArguments([])
  const call = directMethod(node)
  return (frame) => {
    const target = object(frame)
    const builtin = target instanceof GuestArray ? onArray : typeof target === 'string' ? onText : undefined
    if (builtin?.none !== undefined) {
      if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
      return builtin.none(target)
    }
    if (builtin !== undefined) return call(builtin, target, nothing, frame)
    if (target instanceof GuestObject && hasProperty(target, key)) {
      const own = readProperty(target, key)
      return takesThis(own) ? invoke(own, [], target) : invoke0(own)
    }
    const found = others(target)
    return found === undefined ? slow(target, key, nothing, frame) : call(found, target, nothing, frame)
  }
}

/** `Math.max`, `tools.search`: members of globals never change, so they are looked up at compile time. */
function emitKnown(node: Method, name: string, emit: Emitter): Closure | undefined {
  const { object, at } = node
  if (object.k !== 'var' || object.ref?.to !== 'global' || !(object.ref.value instanceof BuiltinFunction))
    return undefined
  const target = object.ref.value
  const found = target.members?.get(name)
  if (!(found instanceof BuiltinFunction) || found.builtin === undefined) return undefined
  const { builtin } = found
  const [only] = node.args
  if (builtin.one === undefined || node.args.length !== 1 || only === undefined || only.k === 'spread') {
    const args = emitArguments(node.args, emit)
    return (frame) => {
      try {
        return callBuiltin(builtin, target, args(frame))
      } catch (error) {
        throw locate(error, at)
      }
    }
  }
  const first = emit.ex(only)
  return (frame) => {
    try {
      const value = first(frame)
      if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
      return builtin.one!(target, value)
    } catch (error) {
      throw locate(error, at)
    }
  }
}
