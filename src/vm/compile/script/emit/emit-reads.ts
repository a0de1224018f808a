import { getKeyed, getNamed } from '../../../value/property.ts'
import type { Guest } from '../../../value/guest.ts'
import { GuestArray } from '../../../value/guest-array.ts'
import type { Closure } from '../../../value/guest-function.ts'
import { GuestObject } from '../../../value/guest-object.ts'
import type { Shape } from '../../../value/shape.ts'
import { touch, touchKey } from '../../../value/text/text.ts'
import { emitIndex, emitMember } from '../../emit/emit-access.ts'
import type { Emitter } from '../../emit/emitter.ts'
import type { Index, Member } from '../../ir.ts'
import { locateRead } from '../../error-location.ts'

/** Reads a named property with an inline cache of the last shape. */
export function emitFastMember(node: Member, emit: Emitter): Closure {
  const { name } = node
  if (node.lenient || node.optional || emit.inChain) return emitMember(node, emit)
  let seen: Shape | null = null
  let slot = 0
  const miss = (target: Guest): Guest => {
    if (target instanceof GuestObject && target.dict === null) {
      const index = target.shape.slotOf(name)
      if (index !== undefined) {
        seen = target.shape
        slot = index
        return target.slots[index]
      }
    }
    try {
      return getNamed(target, name)
    } catch (error) {
      throw locateRead(error, target, node)
    }
  }
  const local = emit.slot(node.object)
  if (name === 'length') {
    const object = emit.ex(node.object)
    return (frame) => {
      const target = object(frame)
      if (target instanceof GuestArray) return target.items.length
      return typeof target === 'string' ? target.length : miss(target)
    }
  }
  if (local >= 0)
    return (frame) => {
      const target = frame[local] as Guest
      return target instanceof GuestObject && target.shape === seen ? target.slots[slot] : miss(target)
    }
  const object = emit.ex(node.object)
  return (frame) => {
    const target = object(frame)
    return target instanceof GuestObject && target.shape === seen ? target.slots[slot] : miss(target)
  }
}

/** Reads an item of a list or text, or a property by a computed key. */
export function emitFastIndex(node: Index, emit: Emitter): Closure {
  if (node.lenient || node.optional || emit.inChain) return emitIndex(node, emit)
  const object = emit.ex(node.object)
  const key = emit.ex(node.key)
  const slow = (target: Guest, index: Guest): Guest => {
    try {
      return getKeyed(target, index)
    } catch (error) {
      throw locateRead(error, target, node)
    }
  }
  return (frame) => {
    const target = object(frame)
    const index = key(frame)
    if (typeof index === 'number') {
      if (target instanceof GuestArray && index >= 0 && index < target.items.length) return target.items[index]
      if (typeof target === 'string') {
        touch(target)
        return index >= 0 && index < target.length ? target[index] : undefined
      }
    } else if (typeof index === 'string' && target instanceof GuestObject && target.dict !== null) {
      touchKey(index)
      const value = target.get(index)
      if (value !== undefined) return value
    }
    return slow(target, index)
  }
}
