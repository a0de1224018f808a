import { live } from '../meter/live.ts'
import { getKeyed, getNamed } from '../value/property.ts'
import type { Guest } from '../value/guest.ts'
import type { Box, Closure } from '../value/guest-function.ts'
import { GuestObject } from '../value/guest-object.ts'
import { thrown } from '../value/thrown.ts'
import type { Emitter } from './emitter.ts'
import type { Assign, Index, Member, Var } from './ir.ts'
import type { EmitExpr } from './language.ts'
import { locate } from './located.ts'
import { UNSET } from './scope.ts'
import type { Variable } from './scope.ts'

/** What an optional chain gives when it stops early; never seen by programs. */
export const SKIP: Guest = Object.freeze({ skip: true }) as never

function unsetError(variable: Variable): unknown {
  return thrown('ReferenceError', `Cannot access '${variable.name}' before initialization`)
}

function readChecked(variable: Variable, read: Closure): Closure {
  // A constant of a JSON program that is not set yet is simply not there.
  if (variable.kind === 'once')
    return (frame) => {
      const value = read(frame)
      return value === UNSET ? undefined : value
    }
  return (frame) => {
    const value = read(frame)
    if (value === UNSET) throw unsetError(variable)
    return value
  }
}

function readVar(node: Var): Closure {
  const ref = node.ref!
  switch (ref.to) {
    case 'local': {
      const { variable } = ref
      const { slot } = variable
      const read: Closure = variable.isCaptured
        ? (frame) => (frame[slot] as Box).value
        : (frame) => frame[slot] as Guest
      return variable.isChecked ? readChecked(variable, read) : read
    }
    case 'box': {
      const { up, variable } = ref
      const read: Closure = (frame) => frame[0][up]!.value
      return variable.isChecked ? readChecked(variable, read) : read
    }
    case 'global': {
      const { value } = ref
      return () => value
    }
    case 'args':
      return () => live.machine.args
    case 'argument':
      return readArgument(node.name)
    default:
      return () => {
        throw locate(thrown('ReferenceError', `${node.name} is not defined`), node.at)
      }
  }
}

/** A name of a JSON program that is no variable: an argument, a built-in, or nothing. */
function readArgument(name: string): Closure {
  return () => {
    const { args, builtins } = live.machine
    if (args instanceof GuestObject && args.has(name)) return args.get(name)
    return builtins.globals.get(name)
  }
}

/** Where a value goes that is set from outside an expression: a parameter of `catch`, the item of a loop. */
export function writeVar(variable: Variable, up: number): (frame: Parameters<Closure>[0], value: Guest) => void {
  const { slot } = variable
  if (up >= 0)
    return (frame, value) => {
      frame[0][up]!.value = value
    }
  if (variable.isCaptured)
    return (frame, value) => {
      ;(frame[slot] as Box).value = value
    }
  return (frame, value) => {
    frame[slot] = value
  }
}

/** The setter of a variable that an expression names. */
export function writeRef(node: Var): (frame: Parameters<Closure>[0], value: Guest) => void {
  const ref = node.ref!
  if (ref.to !== 'local' && ref.to !== 'box')
    return () => {
      throw locate(
        thrown(
          ref.to === 'nothing' ? 'ReferenceError' : 'TypeError',
          ref.to === 'nothing' ? `${node.name} is not defined` : 'Assignment to constant variable.',
        ),
        node.at,
      )
    }
  const { variable } = ref
  const write = writeVar(variable, ref.to === 'box' ? ref.up : -1)
  if (!variable.isChecked && !variable.isConst) return write
  const read: Closure =
    ref.to === 'box'
      ? (frame) => frame[0][ref.up]!.value
      : variable.isCaptured
        ? (frame) => (frame[variable.slot] as Box).value
        : (frame) => frame[variable.slot] as Guest
  if (variable.kind === 'once')
    return (frame, value) => {
      if (read(frame) !== UNSET) throw thrown('TypeError', `Cannot reassign const variable '${variable.name}'`)
      write(frame, value)
    }
  return (frame, value) => {
    if (variable.isChecked && read(frame) === UNSET) throw locate(unsetError(variable), node.at)
    if (variable.isConst) throw locate(thrown('TypeError', 'Assignment to constant variable.'), node.at)
    write(frame, value)
  }
}

/** Reads a property by name. */
export function emitMember({ object: node, name, optional, lenient, at }: Member, emit: Emitter): Closure {
  const object = emit.ex(node)
  const nothing = emit.inChain ? SKIP : undefined
  return (frame) => {
    const target = object(frame)
    if (target === SKIP) return SKIP
    if ((target === null || target === undefined) && (optional || lenient)) return optional ? nothing : undefined
    try {
      return getNamed(target, name)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** Reads a property by a key made at run time. */
export function emitIndex(node: Index, emit: Emitter): Closure {
  const object = emit.ex(node.object)
  const wasChain = emit.inChain
  emit.inChain = false
  const key = emit.ex(node.key)
  emit.inChain = wasChain
  const { at, optional, lenient } = node
  const slow = (target: Guest, index: Guest): Guest => {
    try {
      return getKeyed(target, index)
    } catch (error) {
      throw locate(error, at)
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

/** A slot that may simply be written, or below 0. */
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
    const write = writeRef(target)
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
  ['var', readVar],
  ['member', emitMember],
  ['index', emitIndex],
  ['assign', emitSet],
]
