import { invoke, invoke0, invoke1, invoke2, notCallable } from '../machine/invoke.ts'
import { listOf } from '../machine/iterate.ts'
import { live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import type { Builtin } from '../value/builtin-function.ts'
import { isCallable, receiverOf, toKey } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import type { Closure, Frame } from '../value/guest-function.ts'
import { GuestObject } from '../value/guest-object.ts'
import { getKeyed } from '../value/property.ts'
import { thrown } from '../value/thrown.ts'
import { SKIP } from './emit-access.ts'
import type { Emitter } from './emitter.ts'
import type { Call, Ex, Method } from './ir.ts'
import type { EmitExpr } from './language.ts'
import { locate } from './located.ts'

/** Computes the arguments of a call. */
export type Arguments = (frame: Frame) => Guest[]

/** The closure of a list of values, of which some may be spread. */
export function emitArguments(args: readonly Ex[], emit: Emitter): Arguments {
  const chain = emit.inChain
  emit.inChain = false
  const spread = args.map((arg) => arg.k === 'spread')
  const closures = args.map((arg) => emit.ex(arg.k === 'spread' ? arg.argument : arg))
  emit.inChain = chain
  if (!spread.includes(true))
    return (frame) => {
      const values: Guest[] = []
      for (let i = 0; i < closures.length; i++) values.push(closures[i]!(frame))
      return values
    }
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

export function callBuiltin(builtin: Builtin, receiver: Guest, args: Guest[]): Guest {
  if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
  return builtin.call(receiver, args)
}

function call(node: Call, emit: Emitter): Closure {
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

/** How an error calls what was to be called. */
export function nameOf(node: Ex): string | undefined {
  if (node.k === 'var') return node.name
  if (node.k === 'member') {
    const object = nameOf(node.object)
    return object === undefined ? node.name : `${object}.${node.name}`
  }
  return undefined
}

/** The method of a receiver: what it holds itself, else what its type has in the table. */
export function findMethod(target: Guest, name: string): Guest {
  if (target instanceof GuestObject && target.has(name)) return target.get(name)
  if (target instanceof BuiltinFunction && target.members?.has(name)) return target.members.get(name)
  if (target instanceof GuestArray && target.named?.has(name)) return target.named.get(name)
  const receiver = receiverOf(target)
  if (receiver === undefined)
    throw thrown('TypeError', `Cannot read properties of ${target as undefined} (reading '${name}')`)
  return live.machine.builtins.methods.get(receiver)?.get(name)
}

/** Calls a method that was found; built-ins of types see the receiver. */
export function callFound(found: Guest, target: Guest, args: Guest[]): Guest {
  if (found instanceof BuiltinFunction && found.builtin !== undefined) return callBuiltin(found.builtin, target, args)
  return invoke(found, args)
}

function slowMethod(node: Method): (target: Guest, key: Guest, args: Arguments, frame: Frame) => Guest {
  const { at, optionalCall } = node
  const label =
    typeof node.name === 'string'
      ? nameOf({ k: 'member', object: node.object, name: node.name, optional: false, lenient: false })
      : undefined
  return (target, key, args, frame) => {
    try {
      const found = typeof key === 'number' ? getKeyed(target, key) : findMethod(target, toKey(key))
      if (optionalCall && (found === null || found === undefined)) return SKIP
      const values = args(frame)
      if (!isCallable(found)) throw notCallable(found, label ?? toKey(key))
      return callFound(found, target, values)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** A method whose name stands in the program: the table is looked up when it is compiled. */
function method(node: Method, emit: Emitter): Closure {
  if (typeof node.name !== 'string' || node.optional || node.optionalCall || emit.inChain)
    return methodOrSkip(node, emit)
  const { name } = node
  const slow = slowMethod(node)
  const rest = emitArguments(node.args, emit)
  const { methods } = emit.unit.builtins
  const onArray = methods.get('array')?.get(name)?.builtin
  const onText = methods.get('string')?.get(name)?.builtin
  const object = emit.ex(node.object)
  const args = node.args.some((arg) => arg.k === 'spread') ? [] : node.args.map((arg) => emit.ex(arg))
  const [first, second] = args
  if (args.length === 1 && first !== undefined && args.length === node.args.length)
    return (frame) => {
      const target = object(frame)
      const builtin = target instanceof GuestArray ? onArray : typeof target === 'string' ? onText : undefined
      if (builtin?.one !== undefined) {
        if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
        return builtin.one(target, first(frame))
      }
      if (target instanceof GuestObject && builtin === undefined && target.has(name)) {
        const own = target.get(name)
        return invoke1(own, first(frame))
      }
      return slow(target, name, rest, frame)
    }
  if (args.length === 2 && first !== undefined && second !== undefined && args.length === node.args.length)
    return (frame) => {
      const target = object(frame)
      const builtin = target instanceof GuestArray ? onArray : typeof target === 'string' ? onText : undefined
      if (builtin?.two !== undefined) {
        if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
        return builtin.two(target, first(frame), second(frame))
      }
      if (target instanceof GuestObject && target.has(name)) {
        const own = target.get(name)
        return invoke2(own, first(frame), second(frame))
      }
      return slow(target, name, rest, frame)
    }
  if (node.args.length === 0)
    return (frame) => {
      const target = object(frame)
      const builtin = target instanceof GuestArray ? onArray : typeof target === 'string' ? onText : undefined
      if (builtin?.none !== undefined) {
        if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
        return builtin.none(target)
      }
      if (target instanceof GuestObject && target.has(name)) return invoke0(target.get(name))
      return slow(target, name, rest, frame)
    }
  return (frame) => slow(object(frame), name, rest, frame)
}

function methodOrSkip(node: Method, emit: Emitter): Closure {
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

/** Closures of calls. */
export const EMIT_CALLS: readonly (readonly [string, EmitExpr])[] = [
  ['call', call],
  ['method', method],
]
