import { memberPointer } from '../../core/index.ts'
import { Resolver } from '../machine/promises/promise-waiters.ts'
import { live } from '../meter/live.ts'
import type { LabelTracking } from '../meter/live.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { GuestFunction } from '../value/guest-function.ts'
import type { GuestNative } from '../value/native/guest-native.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import { FULFILLED } from '../value/guest-promise.ts'
import type { GuestPromise, Waiter } from '../value/guest-promise.ts'
import { raiseCallback, raiseUnsettled, raiseWaiter } from './raise-effects.ts'
import { CHOSEN, LABEL_BITS, bitsOf, isChosen, namesOf } from './bits.ts'
import {
  totalLabel,
  deepLabel,
  isHolder,
  partLabel,
  raiseLabel,
  raiseDeep,
  setPartLabel,
  structureLabel,
} from './heap.ts'

type Pointers = Record<string, readonly string[]>

/** Tracks the labels of one execution where values enter and leave the machine. */
export class LabelTracker implements LabelTracking {
  readonly names: string[] = []
  /** The program has implicit calls with side effects, so every heap read may depend on labels that entered. */
  readonly #hasHiddenCalls: boolean

  /** Whether the program may hold iterators, which any iteration over them advances. */
  readonly #hasIterators: boolean

  constructor(hasHiddenCalls: boolean, hasIterators: boolean) {
    this.#hasHiddenCalls = hasHiddenCalls
    this.#hasIterators = hasIterators
  }

  pcLabels(): readonly string[] {
    return namesOf(live.pc & LABEL_BITS, this.names)
  }

  readContents(value: Guest): void {
    live.label |= deepLabel(value)
  }

  partBits(value: Guest, key: string): number {
    return isHolder(value) ? (partLabel(value, key) | live.heapFloor) & LABEL_BITS : 0
  }

  contentBits(value: Guest): number {
    return ((isHolder(value) ? totalLabel(value) : 0) | live.heapFloor) & LABEL_BITS
  }

  noteUse(iterator: GuestNative): void {
    const bits = (live.label | live.pc) & LABEL_BITS
    iterator.label |= bits & ~CHOSEN
  }

  noteIteration(bits: number): void {
    if (this.#hasIterators && isChosen(bits)) live.heapFloor |= bits & LABEL_BITS
  }

  exportLabels(input: Guest, bits: number): Readonly<Pointers> {
    const pointers: Pointers = {}
    const start = (bits | live.heapFloor) & LABEL_BITS
    this.#visit(input, { pointer: '', bits: start, around: 0, into: pointers, open: [] })
    const pc = namesOf(live.pc & LABEL_BITS, this.names)
    if (pc.length > 0) pointers['pc'] = pc
    return pointers
  }

  #visit(value: Guest, place: ExportPlace): void {
    const { pointer, bits, around, into, open } = place
    const isOpen = (value instanceof GuestObject || value instanceof GuestArray) && !open.includes(value)
    const own = isHolder(value) ? bits | structureLabel(value) : bits
    if (own !== around) into[pointer] = namesOf(own, this.names)
    if (!isOpen || !live.isLabelled) return
    const next = { around: own, into, open: [...open, value] }
    const inside = (key: string | number, item: Guest, more = 0): void => {
      const part = bits | partLabel(value, key) | live.heapFloor | more
      this.#visit(item, { ...next, pointer: memberPointer(pointer, String(key)), bits: part })
    }
    // Holes too: the absence of an item can carry information.
    if (value instanceof GuestArray) for (let i = 0; i < value.items.length; i++) inside(i, value.items[i])
    else for (const key of value.keys()) this.#property(value, key, inside)
    if (value instanceof GuestError) inside('message', value.message)
  }

  /** Reads a property. The result of a getter carries the labels of all that it has read. */
  #property(value: GuestObject, key: string, inside: (key: string, item: Guest, more: number) => void): void {
    const outer = live.label
    live.label = 0
    const item = value.get(key)
    const more = live.label & LABEL_BITS
    live.label = outer
    inside(key, item, more)
  }

  importLabels(promise: GuestPromise | undefined, labels: readonly string[], value: Guest): void {
    if (labels.length === 0) return
    const bits = bitsOf(labels, this.names)
    live.isLabelled = true
    if (this.#hasHiddenCalls) live.heapFloor |= bits
    if (promise !== undefined) promise.label |= bits
    if (value instanceof GuestError) raiseLabel(value, bits)
    else raiseDeep(value, bits)
  }

  noteSkippedCallback(callback: Guest, given: number, isLater = false): void {
    const bits = given & LABEL_BITS
    if (bits === 0) return
    if (callback instanceof GuestFunction) raiseCallback(callback, bits, bits, isLater)
    else if (callback instanceof Resolver) raiseUnsettled(callback.promise, bits)
  }

  noteUnsettledWaiter(waiter: Waiter, bits: number): void {
    raiseWaiter(waiter, bits & LABEL_BITS)
  }

  beginGather(list: GuestArray, source: Guest): void {
    if (source instanceof GuestArray && source.label !== 0)
      for (let i = 0; i < list.items.length; i++) setPartLabel(list, i, partLabel(source, i) & LABEL_BITS)
  }

  gatherItem(list: GuestArray, index: number, bits: number): number {
    const all = (partLabel(list, index) | bits) & LABEL_BITS
    if (all !== 0) setPartLabel(list, index, all)
    return all
  }

  settlementLabel({ state, value }: GuestPromise): number {
    return state === FULFILLED && value instanceof GuestArray ? totalLabel(value) & LABEL_BITS : 0
  }
}

interface ExportPlace {
  readonly pointer: string
  readonly bits: number
  /** The label already reported for the enclosing part. */
  readonly around: number
  readonly into: Pointers
  readonly open: readonly Guest[]
}
