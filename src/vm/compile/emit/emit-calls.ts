import { invoke, notCallable } from '../../machine/invoke.ts'
import { listOf } from '../../machine/iteration/iterate.ts'
import { live } from '../../meter/live.ts'
import { BuiltinFunction } from '../../value/builtin-function.ts'
import type { Builtin } from '../../value/builtin-function.ts'
import { isCallable, receiverOf, toKey } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import type { Closure, Frame } from '../../value/guest-function.ts'
import { GuestObject } from '../../value/guest-object.ts'
import { hasStatic, inheritedFrom, isBare, readStatic } from '../../value/prototypes/lookup.ts'
import { checkMissing, getKeyed, notInHandle } from '../../value/property.ts'
import { wellKnownName } from '../../value/symbols.ts'
import { thrown } from '../../value/thrown.ts'
import { SKIP } from './emit-access.ts'
import type { Emitter } from './emitter.ts'
import type { Call, Ex, Method } from '../ir.ts'
import type { EmitExpr } from '../language.ts'
import { locate } from '../error-location.ts'

/** Evaluates the arguments of a call. */
export type Arguments = (frame: Frame) => Guest[]

/** The closure of a list of values, some of them spread. */
export function emitArguments(args: readonly Ex[], emit: Emitter): Arguments {
  const chain = emit.inChain
  emit.inChain = false
  const spread = args.map((arg) => arg.k === 'spread')
  const closures = args.map((arg) => emit.ex(arg.k === 'spread' ? arg.argument : arg))
  emit.inChain = chain
  if (!spread.includes(true)) return listOfArguments(closures)
  return (frame) => {
    const values: Guest[] = []
    for (let i = 0; i < closures.length; i++) {
      const value = closures[i]!(frame)
      if (!spread[i]) values.push(value)
      else for (const item of listOf(value).items) values.push(item)
    }
    return values
  }
}

export function listOfArguments(closures: readonly Closure[]): Arguments {
  return (frame) => {
    const values: Guest[] = []
    for (let i = 0; i < closures.length; i++) values.push(closures[i]!(frame))
    return values
  }
}

export function callBuiltin(builtin: Builtin, receiver: Guest, args: Guest[]): Guest {
  if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
  return builtin.call(receiver, args)
}

/** A call of any callee with any number of arguments. */
export function emitCall(node: Call, emit: Emitter): Closure {
  const callee = emit.ex(node.callee)
  const args = emitArguments(node.args, emit)
  const { at, optional } = node
  const skipped = emit.inChain ? SKIP : undefined
  const name = nameOf(node.callee)
  return (frame) => {
    const target = callee(frame)
    if (target === SKIP) return SKIP
    if (optional && (target === null || target === undefined)) return skipped
    const values = args(frame)
    if (!isCallable(target)) throw locate(notCallable(target, name), at)
    return invoke(target, values)
  }
}

/** The name of a callee in error messages. */
export function nameOf(node: Ex): string | undefined {
  if (node.k === 'var') return node.name
  if (node.k === 'lit' && typeof node.value !== 'string' && node.value !== null) return String(node.value)
  if (node.k === 'member') {
    const object = nameOf(node.object) ?? ''
    const symbol = wellKnownName(node.name)
    if (symbol !== undefined) return `${object}[${symbol}]`
    return object === '' ? node.name : `${object}.${node.name}`
  }
  return undefined
}

/** The method of a receiver: its own member, else the built-in of its type. */
export function findMethod(target: Guest, name: string): Guest {
  if (target instanceof GuestObject) {
    if (target.has(name)) return target.get(name)
    const holder = target.extra === null ? undefined : inheritedFrom(target, name)
    if (holder !== undefined) return holder.get(name, target)
    if (isBare(target)) return undefined
  }
  if (target instanceof GuestFunction && target.own !== null && hasStatic(target, name)) return readStatic(target, name)
  if (target instanceof BuiltinFunction && target.members?.has(name)) return target.members.get(name)
  if (target instanceof BuiltinFunction && target.standsFor !== undefined) throw notInHandle(target, name)
  if (target instanceof GuestArray && target.named?.has(name)) return target.named.get(name)
  const receiver = receiverOf(target)
  if (receiver === undefined)
    throw thrown('TypeError', `Cannot read properties of ${target as undefined} (reading '${name}')`)
  const found = live.machine.builtins.methods.get(receiver)?.get(name)
  if (found === undefined) checkMissing(receiver, name)
  return found
}

/** Calls a method after lookup; built-ins of types get the receiver. */
export function callFound(found: Guest, target: Guest, args: Guest[]): Guest {
  if (found instanceof BuiltinFunction && found.builtin !== undefined) return callBuiltin(found.builtin, target, args)
  return invoke(found, args, target)
}

function methodName({ object, name }: Method): string | undefined {
  return typeof name === 'string' ? nameOf({ k: 'member', object, name, optional: false, lenient: false }) : undefined
}

export function slowMethod(node: Method): (target: Guest, key: Guest, args: Arguments, frame: Frame) => Guest {
  const { at, optionalCall } = node
  return (target, key, args, frame) => {
    try {
      const found = typeof key === 'number' ? getKeyed(target, key) : findMethod(target, toKey(key))
      if (optionalCall && (found === null || found === undefined)) return SKIP
      const values = args(frame)
      if (!isCallable(found)) throw notCallable(found, methodName(node) ?? toKey(key))
      return callFound(found, target, values)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** A method call on any receiver. */
export function emitMethod(node: Method, emit: Emitter): Closure {
  const object = emit.ex(node.object)
  const slow = slowMethod(node)
  const args = emitArguments(node.args, emit)
  const chain = emit.inChain
  emit.inChain = false
  const { name, optional } = node
  const key: Closure = typeof name === 'string' ? () => name : emit.ex(name)
  emit.inChain = chain
  const skipped = chain ? SKIP : undefined
  return (frame) => {
    const target = object(frame)
    if (target === SKIP) return SKIP
    if (optional && (target === null || target === undefined)) return skipped
    const result = slow(target, key(frame), args, frame)
    return result === SKIP ? skipped : result
  }
}

/** Emitters of calls. */
export const EMIT_CALLS: readonly (readonly [string, EmitExpr])[] = [
  ['call', emitCall],
  ['method', emitMethod],
]
