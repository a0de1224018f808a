import { live, outOfMemory } from '../../../meter/live.ts'
import { toNumber } from '../../../value/convert.ts'
import type { Guest } from '../../../value/guest.ts'
import { GuestArray } from '../../../value/guest-array.ts'
import type { Closure, Frame } from '../../../value/guest-function.ts'
import { GuestError, GuestObject, PROPERTY_BYTES } from '../../../value/guest-object.ts'
import type { Operation } from '../../../value/operators.ts'
import { getKeyed, getNamed } from '../../../value/property.ts'
import { defineNamed, setKeyed, setNamed } from '../../../value/set-member.ts'
import type { Shape } from '../../../value/shape.ts'
import { emitSet, plainSlot } from '../../emit/emit-access.ts'
import { writeRef } from '../../emit/emit-variables.ts'
import type { Emitter } from '../../emit/emitter.ts'
import type { Assign, Index, Member, Update, Var } from '../../ir.ts'
import { locate } from '../../error-location.ts'
import { ASSIGNMENTS } from '../assignments.ts'
import { formOf, operand } from './emit-operators.ts'

export function emitAssign(node: Assign, emit: Emitter): Closure {
  const { target, op } = node
  if (op === '&&' || op === '||' || op === '??') return emitAssignIf(node, emit)
  if (target.k === 'member' && op === '') return emitPut(node, target, emit)
  if (target.k === 'index' && op === '') return emitPutKeyed(node, target, emit)
  if (op === '') return emitSet(node, emit)
  const slot = plainSlot(target, emit)
  const fast = ASSIGNMENTS.get(op)
  if (slot >= 0 && fast !== undefined) {
    const form = formOf(node.value, emit)
    return fast[form](slot as never, operand(node.value, form, emit) as never)
  }
  const operation = emit.unit.language.operations.get(op)!
  if (target.k === 'member') return emitCompoundMember(node, target, operation, emit)
  return emitCompound(node, operation, emit)
}

function emitCompound(node: Assign, operation: Operation, emit: Emitter): Closure {
  const value = emit.ex(node.value)
  const { target } = node
  if (target.k === 'index') {
    const object = emit.ex(target.object)
    const key = emit.ex(target.key)
    return (frame) => {
      const holder = object(frame)
      const name = key(frame)
      const before = getKeyed(holder, name)
      return setKeyed(holder, name, operation(before, value(frame)))
    }
  }
  const read = emit.ex(target)
  const write = target.k === 'var' ? writeRef(target) : slotWriter((target as { slot: number }).slot)
  return (frame) => {
    const before = read(frame)
    const made = operation(before, value(frame))
    write(frame, made)
    return made
  }
}

function slotWriter(slot: number): (frame: Frame, value: Guest) => void {
  return (frame, value) => {
    frame[slot] = value
  }
}

/** Sets a named property with an inline cache of the last shape and the last transition. */
function emitPut(node: Assign, target: Member, emit: Emitter): Closure {
  const value = emit.ex(node.value)
  const put = makePut(target)
  const local = emit.slot(target.object)
  if (local >= 0)
    return (frame) => {
      const holder = frame[local] as Guest
      return put(holder, value(frame))
    }
  const object = emit.ex(target.object)
  return (frame) => {
    const holder = object(frame)
    return put(holder, value(frame))
  }
}

export function makePut({ name, at, defines }: Member): (holder: Guest, value: Guest) => Guest {
  let seen: Shape | null = null
  let slot = 0
  let grown: Shape | null = null
  let after: Shape | null = null
  const bytes = PROPERTY_BYTES + name.length
  const miss = (holder: Guest, value: Guest): Guest => {
    if (holder instanceof GuestObject && holder.dict === null && !(holder instanceof GuestError)) {
      const index = holder.shape.slotOf(name)
      if (index !== undefined) {
        seen = holder.shape
        slot = index
      } else if (!holder.shape.isGuarded || defines === true) {
        grown = holder.shape
        after = holder.shape.add(name) ?? null
      }
    }
    try {
      return defines === true ? defineNamed(holder, name, value) : setNamed(holder, name, value)
    } catch (error) {
      throw locate(error, at)
    }
  }
  return (holder, value) => {
    if (holder instanceof GuestObject) {
      if (holder.shape === seen) return (holder.slots[slot] = value)
      if (holder.shape === grown && after !== null) {
        if ((live.memory -= bytes) < 0) outOfMemory()
        holder.slots.push(value)
        holder.shape = after
        return value
      }
    }
    return miss(holder, value)
  }
}

function emitCompoundMember(node: Assign, target: Member, operation: Operation, emit: Emitter): Closure {
  const object = emit.ex(target.object)
  const value = emit.ex(node.value)
  const { name, at } = target
  const put = makePut(target)
  let seen: Shape | null = null
  let slot = 0
  const miss = (holder: Guest): Guest => {
    if (holder instanceof GuestObject && holder.dict === null) {
      const index = holder.shape.slotOf(name)
      if (index !== undefined) {
        seen = holder.shape
        slot = index
      }
    }
    try {
      return getNamed(holder, name)
    } catch (error) {
      throw locate(error, at)
    }
  }
  const local = emit.slot(target.object)
  const right = emit.slot(node.value)
  const isSum = node.op === '+'
  return (frame) => {
    const holder = local >= 0 ? (frame[local] as Guest) : object(frame)
    const before = holder instanceof GuestObject && holder.shape === seen ? holder.slots[slot] : miss(holder)
    const by = right >= 0 ? (frame[right] as Guest) : value(frame)
    const made = isSum && typeof before === 'number' && typeof by === 'number' ? before + by : operation(before, by)
    if (holder instanceof GuestObject && holder.shape === seen) return (holder.slots[slot] = made)
    return put(holder, made)
  }
}

function emitPutKeyed(node: Assign, target: Index, emit: Emitter): Closure {
  const object = emit.ex(target.object)
  const key = emit.ex(target.key)
  const value = emit.ex(node.value)
  const { at } = target
  return (frame) => {
    const holder = object(frame)
    const index = key(frame)
    const made = value(frame)
    if (
      holder instanceof GuestArray &&
      typeof index === 'number' &&
      !holder.isFrozen &&
      index >= 0 &&
      index < holder.items.length &&
      (index | 0) === index
    )
      return (holder.items[index] = made)
    try {
      return setKeyed(holder, index, made)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** `&&=`, `||=` and `??=` evaluate and assign only if needed. */
function emitAssignIf(node: Assign, emit: Emitter): Closure {
  const { op } = node
  const isNeeded = (value: Guest): boolean =>
    op === '&&' ? Boolean(value) : op === '||' ? !value : value === null || value === undefined
  const access = emitAccess(node.target, emit)
  const value = emit.ex(node.value)
  return (frame) => {
    const place = access(frame)
    const before = place.get()
    if (!isNeeded(before)) return before
    const made = value(frame)
    place.set(made)
    return made
  }
}

interface Place {
  get(): Guest
  set(value: Guest): void
}

/** A reference that is evaluated once, then read and written. */
function emitAccess(target: Assign['target'], emit: Emitter): (frame: Frame) => Place {
  if (target.k === 'member' || target.k === 'index') {
    const object = emit.ex(target.object)
    const key: Closure = target.k === 'member' ? () => target.name : emit.ex(target.key)
    return (frame) => {
      const holder = object(frame)
      const name = key(frame)
      return { get: () => getKeyed(holder, name), set: (value) => void setKeyed(holder, name, value) }
    }
  }
  const read = emit.ex(target)
  const write = target.k === 'var' ? writeRef(target) : slotWriter(target.slot)
  return (frame) => ({ get: () => read(frame), set: (value) => write(frame, value) })
}

export function emitUpdate(node: Update, emit: Emitter): Closure {
  const { target, by, prefix } = node
  const slot = plainSlot(target, emit)
  if (slot >= 0 && prefix)
    return (frame) => {
      const before = frame[slot] as Guest
      return (frame[slot] = (typeof before === 'number' ? before : toNumber(before)) + by)
    }
  if (slot >= 0)
    return (frame) => {
      const before = frame[slot] as Guest
      const number = typeof before === 'number' ? before : toNumber(before)
      frame[slot] = number + by
      return number
    }
  if (target.k === 'var') return emitUpdateVar(target, by, prefix, emit)
  if (target.k === 'member' && target.name.length <= NAME_MAX) return emitUpdateNamed(node, target, emit)
  const access = emitAccess(target, emit)
  return (frame) => {
    const place = access(frame)
    const before = toNumber(place.get())
    place.set(before + by)
    return prefix ? before + by : before
  }
}

/** Longer names are charged per use. */
const NAME_MAX = 64

/** `object.count++` with an inline cache for numeric properties. */
function emitUpdateNamed({ by, prefix }: Update, { object: node, name }: Member, emit: Emitter): Closure {
  const local = emit.slot(node)
  const object = emit.ex(node)
  let seen: Shape | null = null
  let slot = 0
  const slow = (holder: Guest): Guest => {
    if (holder instanceof GuestObject && holder.dict === null) {
      seen = holder.shape
      slot = seen.slotOf(name) ?? -1
      if (slot < 0) seen = null
    }
    const before = toNumber(getKeyed(holder, name))
    setKeyed(holder, name, before + by)
    return prefix ? before + by : before
  }
  return (frame) => {
    const holder = local >= 0 ? (frame[local] as Guest) : object(frame)
    if (holder instanceof GuestObject && holder.shape === seen) {
      const before = holder.slots[slot]
      if (typeof before === 'number') {
        holder.slots[slot] = before + by
        return prefix ? before + by : before
      }
    }
    return slow(holder)
  }
}

function emitUpdateVar(target: Var, by: number, prefix: boolean, emit: Emitter): Closure {
  const read = emit.ex(target)
  const write = writeRef(target)
  return (frame) => {
    const before = toNumber(read(frame))
    write(frame, before + by)
    return prefix ? before + by : before
  }
}
