import { SKIP } from '../compile/emit/emit-access.ts'
import type { Emitter } from '../compile/emit/emitter.ts'
import type { Index, Member } from '../compile/ir.ts'
import { locate } from '../compile/located.ts'
import { live } from '../meter/live.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import type { Closure } from '../value/guest-function.ts'
import { GuestObject } from '../value/guest-object.ts'
import { getKeyed, getNamed } from '../value/property.ts'
import type { Shape } from '../value/shape.ts'
import { CHOSEN } from './bits.ts'
import { allOf, among, isHolder, noteAmong, partKey, partOf, wholeOf } from './heap.ts'
import { guard } from './rules/leaves.ts'
import { plainOf } from './plain.ts'

/** Whether the chain that is being compiled can change anything. */
let isChainDeciding = false

/** Compiles a chain in which what comes after an optional part is decided by what was found. */
export function inDecidingChain(isDeciding: boolean, compile: () => Closure): Closure {
  const before = isChainDeciding
  isChainDeciding = isDeciding
  const made = compile()
  isChainDeciding = before
  return made
}

/** In an optional chain, what comes after depends on what was found. */
export function decideChain(emit: Emitter, isOptional: boolean): () => void {
  if (!isOptional || !emit.inChain || !isChainDeciding) return () => {}
  return () => {
    if (live.lab !== 0) live.pc |= live.lab | CHOSEN
  }
}

/** Reads a property by name. */
export function member(node: Member, emit: Emitter): Closure {
  const { name, at, optional, lenient } = node
  const object = emit.ex(node.object)
  const nothing = emit.inChain ? SKIP : undefined
  const decide = decideChain(emit, optional)
  let seen: Shape | null = null
  let slot = 0
  const miss = (target: Guest): Guest => {
    // The length of a list is not a part of it; that of an object is a property like any other.
    const isCount = name === 'length' && target instanceof GuestArray
    if (isHolder(target)) live.lab |= (isCount ? wholeOf(target) : partOf(target, name)) | live.floor
    if (target instanceof GuestObject && target.dict === null) {
      const place = target.shape.slotOf(name)
      if (place !== undefined) {
        seen = target.shape
        slot = place
        return target.slots[place]
      }
    }
    try {
      return getNamed(target, name)
    } catch (error) {
      throw locate(error, at)
    }
  }
  if (optional || lenient || emit.inChain)
    return (frame) => {
      const target = object(frame)
      if (target === SKIP) return SKIP
      if (optional) decide()
      if ((target === null || target === undefined) && (optional || lenient)) return optional ? nothing : undefined
      return miss(target)
    }
  if (name === 'length')
    return (frame) => {
      const target = object(frame)
      if (target instanceof GuestArray) {
        if (target.label !== 0 || live.floor !== 0) live.lab |= wholeOf(target) | live.floor
        return target.items.length
      }
      return typeof target === 'string' ? target.length : miss(target)
    }
  return (frame) => {
    const target = object(frame)
    if (target instanceof GuestObject && target.shape === seen) {
      if (target.label !== 0 || live.floor !== 0) live.lab |= partOf(target, name) | live.floor
      return target.slots[slot]
    }
    return miss(target)
  }
}

/** Reads an item or a property by a key made at run time: with a labelled key it may have been any. */
export function index(node: Index, emit: Emitter): Closure {
  const { at, optional, lenient } = node
  const object = emit.ex(node.object)
  const wasChain = emit.inChain
  const decide = decideChain(emit, optional)
  emit.inChain = false
  const key = emit.ex(node.key)
  emit.inChain = wasChain
  const isPlainKey = plainOf(emit).isPlain(node.key)
  const nothing = wasChain ? SKIP : undefined
  const note = (target: Guest, place: Guest, lk: number): void => {
    if (lk !== 0) live.lab |= lk | CHOSEN
    if (!isHolder(target) || (typeof place === 'object' && place !== null)) return
    live.lab |= (lk === 0 ? partOf(target, partKey(target, place)) : allOf(target)) | live.floor
  }
  const slow = (target: Guest, place: Guest): Guest => {
    try {
      return getKeyed(target, place)
    } catch (error) {
      throw locate(error, at)
    }
  }
  return (frame) => {
    const target = object(frame)
    if (target === SKIP) return SKIP
    if (optional) decide()
    if ((target === null || target === undefined) && (optional || lenient)) return optional ? nothing : undefined
    let lk = 0
    let place: Guest
    among.holder = undefined
    const way = live.lab
    if (isPlainKey) place = key(frame)
    else {
      const outer = live.lab
      if (outer !== 0) guard()
      live.lab = 0
      place = key(frame)
      lk = live.lab
      live.lab = outer
      if (lk !== 0) noteAmong(target, way)
    }
    if (target instanceof GuestArray) {
      if (lk !== 0 || target.label !== 0 || live.floor !== 0) note(target, place, lk)
      if (typeof place === 'number' && place >= 0 && place < target.items.length) return target.items[place]
    } else if (lk !== 0 || isHolder(target)) note(target, place, lk)
    return slow(target, place)
  }
}
