import { SKIP } from '../compile/emit/emit-access.ts'
import type { Emitter } from '../compile/emit/emitter.ts'
import type { Index, Member } from '../compile/ir.ts'
import { locateRead } from '../compile/error-location.ts'
import { live } from '../meter/live.ts'
import { toKey } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import type { Closure } from '../value/guest-function.ts'
import { GuestObject } from '../value/guest-object.ts'
import { GuestSymbol } from '../value/symbols.ts'
import { getKeyed, getNamed } from '../value/property.ts'
import type { Shape } from '../value/shape.ts'
import { CHOSEN } from './bits.ts'
import {
  totalLabel,
  inheritedLabel,
  lastChoice,
  isHolder,
  noteChoice,
  partKey,
  partLabel,
  structureLabel,
} from './heap.ts'
import { noteMayThrow } from './rules/variables.ts'
import { unlabelledIn } from './unlabelled-variables.ts'

/** Whether the optional chain being compiled has side effects. */
let isChainDeciding = false

/** Compiles an optional chain in which the value before `?.` decides whether the rest runs. */
export function inDecidingChain(isDeciding: boolean, compile: () => Closure): Closure {
  const before = isChainDeciding
  isChainDeciding = isDeciding
  const made = compile()
  isChainDeciding = before
  return made
}

/** Raises the program counter label for the rest of an optional chain. */
export function decideChain(emit: Emitter, isOptional: boolean): () => void {
  if (!isOptional || !emit.inChain || !isChainDeciding) return () => {}
  return () => {
    if (live.label !== 0) live.pc |= live.label | CHOSEN
  }
}

/** Reads a property by name. */
export function member(node: Member, emit: Emitter): Closure {
  const { name, optional, lenient } = node
  const object = emit.ex(node.object)
  const nothing = emit.inChain ? SKIP : undefined
  const decide = decideChain(emit, optional)
  let seen: Shape | null = null
  let slot = 0
  const miss = (target: Guest): Guest => {
    // The length of a list belongs to its structure; `length` of an object is an ordinary property.
    const isCount = name === 'length' && target instanceof GuestArray
    if (isHolder(target)) live.label |= (isCount ? structureLabel(target) : partLabel(target, name)) | live.heapFloor
    if (target instanceof GuestObject && target.extra !== null) live.label |= inheritedLabel(target, name)
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
      throw locateRead(error, target, node)
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
        if (target.label !== 0 || live.heapFloor !== 0) live.label |= structureLabel(target) | live.heapFloor
        return target.items.length
      }
      return typeof target === 'string' ? target.length : miss(target)
    }
  return (frame) => {
    const target = object(frame)
    if (target instanceof GuestObject && target.shape === seen) {
      if (target.label !== 0 || live.heapFloor !== 0) live.label |= partLabel(target, name) | live.heapFloor
      return target.slots[slot]
    }
    return miss(target)
  }
}

/** Reads a property by a computed key. With a labelled key, any part may have been read. */
export function index(node: Index, emit: Emitter): Closure {
  const { optional, lenient } = node
  const object = emit.ex(node.object)
  const wasChain = emit.inChain
  const decide = decideChain(emit, optional)
  emit.inChain = false
  const key = emit.ex(node.key)
  emit.inChain = wasChain
  const isPlainKey = unlabelledIn(emit).isUnlabelled(node.key)
  const nothing = wasChain ? SKIP : undefined
  const note = (target: Guest, place: Guest, lk: number): void => {
    if (lk !== 0) live.label |= lk | CHOSEN
    if (!isHolder(target) || (typeof place === 'object' && place !== null && !(place instanceof GuestSymbol))) return
    live.label |= (lk === 0 ? partLabel(target, partKey(target, place)) : totalLabel(target)) | live.heapFloor
    if (target instanceof GuestObject && target.extra !== null) live.label |= inheritedLabel(target, toKey(place))
  }
  const slow = (target: Guest, place: Guest): Guest => {
    try {
      return getKeyed(target, place)
    } catch (error) {
      throw locateRead(error, target, node)
    }
  }
  return (frame) => {
    const target = object(frame)
    if (target === SKIP) return SKIP
    if (optional) decide()
    if ((target === null || target === undefined) && (optional || lenient)) return optional ? nothing : undefined
    let lk = 0
    let place: Guest
    lastChoice.holder = undefined
    const referenceLabel = live.label
    if (isPlainKey) place = key(frame)
    else {
      const outer = live.label
      if (outer !== 0) noteMayThrow()
      live.label = 0
      place = key(frame)
      lk = live.label
      live.label = outer
      if (lk !== 0) noteChoice(target, referenceLabel)
    }
    if (target instanceof GuestArray) {
      if (lk !== 0 || target.label !== 0 || live.heapFloor !== 0) note(target, place, lk)
      if (typeof place === 'number' && place >= 0 && place < target.items.length) return target.items[place]
    } else if (lk !== 0 || isHolder(target)) note(target, place, lk)
    return slow(target, place)
  }
}
