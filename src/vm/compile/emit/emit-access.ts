import { live } from '../../meter/live.ts'
import { getKeyed, getNamed } from '../../value/property.ts'
import type { Guest } from '../../value/guest.ts'
import type { Closure } from '../../value/guest-function.ts'
import { GuestObject } from '../../value/guest-object.ts'
import type { Emitter } from './emitter.ts'
import type { Assign, Index, Member } from '../ir.ts'
import type { EmitExpr } from '../language.ts'
import { locateRead } from '../error-location.ts'

/** The value of a short-circuited optional chain; never visible to programs. */
export const SKIP: Guest = Object.freeze({ skip: true }) as never

/** A name of a JSON program that is not a variable: an argument, a built-in, or `undefined`. */
export function readArgument(name: string): Closure {
  return () => {
    const { args, builtins } = live.machine
    if (args instanceof GuestObject && args.has(name)) return args.get(name)
    return builtins.globals.get(name)
  }
}

/** Reads a property by name. */
export function emitMember(node: Member, emit: Emitter): Closure {
  const { name, optional, lenient } = node
  const object = emit.ex(node.object)
  const nothing = emit.inChain ? SKIP : undefined
  return (frame) => {
    const target = object(frame)
    if (target === SKIP) return SKIP
    if ((target === null || target === undefined) && (optional || lenient)) return optional ? nothing : undefined
    try {
      return getNamed(target, name)
    } catch (error) {
      throw locateRead(error, target, node)
    }
  }
}

/** Reads a property by a computed key. */
export function emitIndex(node: Index, emit: Emitter): Closure {
  const object = emit.ex(node.object)
  const wasChain = emit.inChain
  emit.inChain = false
  const key = emit.ex(node.key)
  emit.inChain = wasChain
  const { optional, lenient } = node
  const slow = (target: Guest, index: Guest): Guest => {
    try {
      return getKeyed(target, index)
    } catch (error) {
      throw locateRead(error, target, node)
    }
  }
  const nothing = wasChain ? SKIP : undefined
  return (frame) => {
    const target = object(frame)
    if (target === SKIP) return SKIP
    if ((target === null || target === undefined) && (optional || lenient)) return optional ? nothing : undefined
    return slow(target, key(frame))
  }
}

/** A slot that may be written directly, or below 0. */
export function plainSlot(target: Assign['target'], emit: Emitter): number {
  return target.k === 'var' && target.ref?.to === 'local' && target.ref.variable.isConst ? -1 : emit.slot(target)
}

/** Plain `=`; the operators with `=` belong to scripts. */
export function emitSet(node: Assign, emit: Emitter): Closure {
  const value = emit.ex(node.value)
  const { target } = node
  const local = plainSlot(target, emit)
  if (local >= 0) return (frame) => (frame[local] = value(frame))
  if (target.k === 'temp') return (frame) => (frame[target.slot] = value(frame))
  if (target.k === 'var') {
    const write = emit.unit.language.writeRef(target)
    return (frame) => {
      const made = value(frame)
      write(frame, made)
      return made
    }
  }
  throw new Error('only variables are set here')
}

/** Closures of reads and writes of variables and properties. */
export const EMIT_ACCESS: readonly (readonly [string, EmitExpr])[] = [
  ['member', emitMember],
  ['index', emitIndex],
  ['assign', emitSet],
]
