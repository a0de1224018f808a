import { LabelledExit } from '../compile/emit-steps.ts'
import { UNSET } from '../compile/scope.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from '../value/collections.ts'
import { GuestArray } from '../value/guest-array.ts'
import { Box, GuestFunction } from '../value/guest-function.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import type { HeapLabel } from '../value/heap-label.ts'
import { GuestPromise } from '../value/guest-promise.ts'
import { type IteratorMode, ListIterator } from '../value/list-iterator.ts'
import type { Shape } from '../value/shape.ts'
import { Activation, BREAK, CONTINUE, NEXT } from './activation.ts'
import { LiveItems } from './items.ts'
import { KeyedItems, PlacedItems } from './iterate.ts'
import { Follow, FollowSoon } from './promises.ts'
import { FinalReaction, Gather, GatherSlot, Pass, Reaction, Resolver } from './promise-waiters.ts'

/** A value on paper: itself, or a list: `[]` is undefined, `[n]` a reference, `['n', text]` an odd number, `['s', name]` a mark; in lists `['h']` is nothing. */
export type Paper = string | number | boolean | null | readonly (string | number)[]

/** Stands where a list has no item. */
export const HOLE: readonly ['h'] = ['h']

export const MARKS: readonly (readonly [string, unknown])[] = [
  ['next', NEXT],
  ['break', BREAK],
  ['continue', CONTINUE],
  ['unset', UNSET],
]

/** Those who wait for promises: all their fields are values. */
export const WAITERS: readonly (readonly [
  tag: string,
  type: { readonly prototype: object },
  fields: readonly string[],
])[] = [
  ['w.follow', Follow, ['target']],
  ['w.soon', FollowSoon, ['target']],
  ['w.then', Reaction, ['onFulfilled', 'onRejected', 'result', 'label']],
  ['w.final', FinalReaction, ['callback', 'result', 'label']],
  ['w.pass', Pass, ['target', 'original']],
  ['w.gather', Gather, ['kind', 'target', 'values', 'left']],
  ['w.slot', GatherSlot, ['gather', 'index']],
]

function labelPaper(label: HeapLabel): Paper | readonly unknown[] {
  return typeof label === 'number'
    ? label
    : [label.whole, label.all, [...label.parts], label.items.map((bits) => bits ?? -1)]
}

function modeOf(items: LiveItems): IteratorMode | '' {
  return items instanceof KeyedItems || items instanceof PlacedItems ? items.mode : ''
}

function flagsOf({ isFrozen, hasGaps }: GuestArray): number {
  return (isFrozen ? 1 : 0) + (hasGaps ? 2 : 0)
}

/** Writes every reachable value down once, without recursion. */
export class HeapWriter {
  readonly cells: unknown[] = []
  readonly #shapes = new Map<Shape, number>()
  readonly #ids = new Map<object, number>()
  readonly #queue: object[] = []

  get shapes(): readonly (readonly string[])[] {
    return [...this.#shapes.keys()].map((shape) => shape.keys)
  }

  put(value: unknown): Paper {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value
      case 'undefined':
        return []
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : ['n', Object.is(value, -0) ? '-0' : String(value)]
      default:
        return value === null ? null : this.#mark(value as object)
    }
  }

  #mark(value: object): Paper {
    const known = this.#ids.get(value)
    if (known !== undefined) return [known]
    if (typeof value === 'symbol' || value === UNSET) return ['s', MARKS.find(([, mark]) => mark === value)![0]]
    if (value instanceof LabelledExit) return ['l', value.kind, value.label]
    const id = this.#ids.size
    this.#ids.set(value, id)
    this.#queue.push(value)
    return [id]
  }

  /** Writes what was met; to be called after the roots were put. */
  finish(): void {
    for (let i = 0; i < this.#queue.length; i++) this.cells.push(this.#cell(this.#queue[i]!))
  }

  #all(values: Iterable<unknown>): Paper[] {
    return Array.from(values, (value) => this.put(value))
  }

  #items({ items, hasGaps }: GuestArray): Paper[] {
    const papers = this.#all(items)
    if (hasGaps) for (let i = 0; i < papers.length; i++) if (!(i in items)) papers[i] = HOLE
    return papers
  }

  #cell(value: object): unknown[] {
    if (value instanceof LiveItems)
      return ['L', labelPaper(value.label), this.put(value.source), modeOf(value), ...this.#all(value.items)]
    if (value instanceof ListIterator)
      return ['I', labelPaper(value.label), value.mode, this.put(value.source), ...this.#all(value.items)]
    if (value instanceof GuestArray)
      return ['a', labelPaper(value.label), flagsOf(value), this.put(value.named), ...this.#items(value)]
    if (value instanceof GuestObject) return this.#object(value)
    if (value instanceof Box) return ['b', value.label, this.put(value.value)]
    if (value instanceof GuestFunction) return ['f', value.label, value.code.id, ...this.#all(value.boxes)]
    if (value instanceof Resolver) return ['R', this.put(value.promise), value.rejects ? 1 : 0]
    if (value instanceof BuiltinFunction) return ['B', value.path]
    if (value instanceof GuestPromise)
      return [
        'p',
        value.label,
        value.state,
        this.put(value.value),
        value.request,
        (value.isHandled ? 1 : 0) + (value.isResolved ? 2 : 0),
        ...this.#all(value.waiters ?? []),
      ]
    if (value instanceof Activation) return this.#activation(value)
    if (value instanceof GuestMap)
      return ['m', value.label, ...[...value.entries].flatMap(([key, item]) => [this.put(key), this.put(item)])]
    if (value instanceof GuestSet) return ['S', value.label, ...this.#all(value.values)]
    if (value instanceof GuestDate) return ['t', value.label, this.put(value.time)]
    if (value instanceof GuestRegExp) return this.#regexp(value)
    const waiter = WAITERS.find(([, type]) => Object.getPrototypeOf(value) === type.prototype)
    if (waiter === undefined) throw new Error(`A snapshot cannot hold a ${value.constructor.name}.`)
    return [waiter[0], ...waiter[2].map((field) => this.put((value as Record<string, unknown>)[field]))]
  }

  #regexp(value: GuestRegExp): unknown[] {
    const { label, source, flags, lastIndex, engine, isPaid } = value
    return ['r', label, source, flags, lastIndex, engine !== undefined || isPaid ? 1 : 0]
  }

  #object(value: GuestObject): unknown[] {
    const body: unknown[] =
      value.dict === null
        ? [this.#shape(value.shape), ...this.#all(value.slots)]
        : [-1 - value.integrity, ...[...value.dict].flatMap(([key, item]) => [key, this.put(item)])]
    if (!(value instanceof GuestError)) return ['o', labelPaper(value.label), ...body]
    const { kind, name, message, op = null, path = null, at = null, code = null } = value
    return [
      'e',
      labelPaper(value.label),
      { kind, name, message, op, path, at, code },
      this.put(value.cause),
      this.put(value.errors),
      ...body,
    ]
  }

  #shape(shape: Shape): number {
    let id = this.#shapes.get(shape)
    if (id === undefined) this.#shapes.set(shape, (id = this.#shapes.size))
    return id
  }

  #activation(value: Activation): unknown[] {
    const { code, frame, caller, promise, why, awaited, callee, received, got, isStarted, label } = value
    const head = [
      code.id,
      why,
      got,
      isStarted ? 1 : 0,
      this.put(caller),
      this.put(promise),
      this.put(awaited),
      this.put(callee),
      this.put(received),
    ]
    return ['A', label, ...head, this.#all(frame[0]), this.#all(frame.slice(2)), value.callKey, value.unitsBefore]
  }
}
