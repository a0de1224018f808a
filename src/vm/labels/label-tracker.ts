import { memberPointer } from '../../core/index.ts'
import { live } from '../meter/live.ts'
import type { FlowPart } from '../meter/live.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { GuestFunction } from '../value/guest-function.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import { FULFILLED } from '../value/guest-promise.ts'
import type { GuestPromise } from '../value/guest-promise.ts'
import { raiseCallback } from './raised-labels.ts'
import { BITS, bitsOf, namesOf } from './bits.ts'
import { allOf, deepOf, isHolder, partOf, raise, raiseDeep, setPart, wholeOf } from './heap.ts'

type Pointers = Record<string, readonly string[]>

/** Follows labels through one execution. */
export class Following implements FlowPart {
  readonly names: string[] = []
  /** Functions run without being called, and change things: nothing can be told of what they have not changed. */
  readonly #hasHiddenCalls: boolean

  constructor(hasHiddenCalls: boolean) {
    this.#hasHiddenCalls = hasHiddenCalls
  }

  leading(): readonly string[] {
    return namesOf(live.pc & BITS, this.names)
  }

  look(value: Guest): void {
    live.lab |= deepOf(value)
  }

  leaving(input: Guest, bits: number): Readonly<Pointers> {
    const pointers: Pointers = {}
    const start = (bits | live.floor) & BITS
    this.#visit(input, { pointer: '', bits: start, around: 0, into: pointers, open: [] })
    const pc = namesOf(live.pc & BITS, this.names)
    if (pc.length > 0) pointers['pc'] = pc
    return pointers
  }

  #visit(value: Guest, place: PlaceOut): void {
    const { pointer, bits, around, into, open } = place
    const isOpen = (value instanceof GuestObject || value instanceof GuestArray) && !open.includes(value)
    const own = isHolder(value) ? bits | wholeOf(value) : bits
    if (own !== around) into[pointer] = namesOf(own, this.names)
    if (!isOpen || !live.isLabelled) return
    const next = { around: own, into, open: [...open, value] }
    const inside = (key: string | number, item: Guest): void => {
      const part = bits | partOf(value, key) | live.floor
      this.#visit(item, { ...next, pointer: memberPointer(pointer, String(key)), bits: part })
    }
    // Also where there is no item: nothing can be as telling as something.
    if (value instanceof GuestArray) for (let i = 0; i < value.items.length; i++) inside(i, value.items[i])
    else for (const key of value.keys()) inside(key, value.get(key))
    if (value instanceof GuestError) inside('message', value.message)
  }

  entering(promise: GuestPromise | undefined, labels: readonly string[], value: Guest): void {
    if (labels.length === 0) return
    const bits = bitsOf(labels, this.names)
    live.isLabelled = true
    if (this.#hasHiddenCalls) live.floor |= bits
    if (promise !== undefined) promise.label |= bits
    if (value instanceof GuestError) raise(value, bits)
    else raiseDeep(value, bits)
  }

  undone(callback: Guest, bits: number): void {
    if ((bits & BITS) !== 0 && callback instanceof GuestFunction) raiseCallback(callback, bits & BITS, bits & BITS)
  }

  gathering(list: GuestArray, source: Guest): void {
    if (source instanceof GuestArray && source.label !== 0)
      for (let i = 0; i < list.items.length; i++) setPart(list, i, partOf(source, i) & BITS)
  }

  gathered(list: GuestArray, index: number, bits: number): number {
    const all = (partOf(list, index) | bits) & BITS
    if (all !== 0) setPart(list, index, all)
    return all
  }

  fate({ state, value }: GuestPromise): number {
    return state === FULFILLED && value instanceof GuestArray ? allOf(value) & BITS : 0
  }
}

interface PlaceOut {
  readonly pointer: string
  readonly bits: number
  /** Labels that the nearest part around has said. */
  readonly around: number
  readonly into: Pointers
  readonly open: readonly Guest[]
}
