import { invoke, invoke2, requireCallable } from '../../machine/invoke.ts'
import { burn } from '../../meter/live.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import { toNumber } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'

import { iteratorOf } from '../../machine/iteration/collection-iterator.ts'
import type { IteratorMode } from '../../value/native/guest-native.ts'
import { ITERATOR } from '../../value/symbols.ts'
import { GuestTyped, joinView, newTyped } from '../../value/native/guest-bytes.ts'
import { thrown } from '../../value/thrown.ts'
import { textArgument, toInteger, toOffset } from '../argument-reads.ts'
import { itemCall } from '../callbacks.ts'
import { type Rows, functions, row } from '../constructors.ts'
import { arrayLikeItems } from '../iteration.ts'

/** Units per item that is visited, moved or compared. */
const VISIT = 40
const MOVE = 4

function typedOf(receiver: Guest, method: string): GuestTyped {
  if (receiver instanceof GuestTyped) return receiver
  throw thrown('TypeError', `${method} is called on something that is no typed array`)
}

type Visit = (item: number, index: number, value: Guest) => boolean

/** The result of a visit: the index, or -1, and the item at that time. */
interface Visited {
  readonly typed: GuestTyped
  readonly at: number
  readonly item?: number
}

/** Calls a callback with each item, forward or backward, until `visit` returns `true`. */
function visitItems(
  method: string,
  visit: Visit,
  isBackward = false,
): (receiver: Guest, args: readonly Guest[]) => Visited {
  return (receiver, [fn]) => {
    const typed = typedOf(receiver, method)
    const call = itemCall(fn, method)
    const { length } = typed.view
    for (let turn = 0; turn < length; turn += 1) {
      burn(VISIT)
      const index = isBackward ? length - 1 - turn : turn
      const item = typed.view[index]!
      if (visit(item, index, call(item, index, typed))) return { typed, at: index, item }
    }
    return { typed, at: -1 }
  }
}

const isTrue: Visit = (_item, _index, value) => Boolean(value)
const goOn: Visit = () => false

function map(receiver: Guest, args: readonly Guest[]): Guest {
  const typed = typedOf(receiver, 'map')
  itemCall(args[0], 'map')
  const made = newTyped(typed.kind, typed.view.length)
  visitItems('map', (_, index, value) => {
    made.view[index] = toNumber(value)
    return false
  })(receiver, args)
  return made
}

function filter(receiver: Guest, args: readonly Guest[]): Guest {
  const kept: number[] = []
  const { typed } = visitItems('filter', (item, _, value) => {
    if (value) kept.push(item)
    return false
  })(receiver, args)
  const made = newTyped(typed.kind, kept.length)
  made.view.set(kept)
  return made
}

function reduce(method: string, isBackward: boolean) {
  return (receiver: Guest, args: readonly Guest[]): Guest => {
    const { view } = typedOf(receiver, method)
    const [fn] = args
    requireCallable(fn, method)
    if (view.length === 0 && args.length < 2) throw thrown('TypeError', 'Reduce of empty array with no initial value')
    const from = args.length < 2 ? 1 : 0
    const place = (turn: number): number => (isBackward ? view.length - 1 - turn : turn)
    let sum: Guest = args.length < 2 ? view[place(0)] : args[1]
    for (let turn = from; turn < view.length; turn += 1) {
      burn(VISIT)
      sum = invoke(fn, [sum, view[place(turn)], place(turn), receiver])
    }
    return sum
  }
}

/** Resolves the start and end of a range; negative arguments count from the end. */
function span(length: number, [start, end]: readonly Guest[]): readonly [from: number, to: number] {
  const from = toOffset(start, length, 0)
  return [from, Math.max(from, toOffset(end, length, length))]
}

function slice(receiver: Guest, args: readonly Guest[]): Guest {
  const typed = typedOf(receiver, 'slice')
  const [from, to] = span(typed.view.length, args)
  burn((to - from) * MOVE)
  const made = newTyped(typed.kind, to - from)
  made.view.set(typed.view.subarray(from, to))
  return made
}

function subarray(receiver: Guest, args: readonly Guest[]): Guest {
  const typed = typedOf(receiver, 'subarray')
  const [from, to] = span(typed.view.length, args)
  return new GuestTyped(typed.kind, typed.buffer, typed.view.subarray(from, to))
}

function fill(receiver: Guest, [value, ...range]: readonly Guest[]): Guest {
  const { view } = typedOf(receiver, 'fill')
  const number = toNumber(value)
  const [from, to] = span(view.length, range)
  burn((to - from) * MOVE)
  view.fill(number, from, to)
  return receiver
}

function copyWithin(receiver: Guest, args: readonly Guest[]): Guest {
  const { view } = typedOf(receiver, 'copyWithin')
  burn(view.length * MOVE)
  const [from, to] = span(view.length, args.slice(1))
  view.copyWithin(toOffset(args[0], view.length, 0), from, to)
  return receiver
}

function set(receiver: Guest, [source, offset]: readonly Guest[]): Guest {
  const { view } = typedOf(receiver, 'set')
  const at = toInteger(offset)
  if (at < 0) throw thrown('RangeError', 'offset is out of bounds')
  const items = source instanceof GuestTyped ? source.view : arrayLikeItems(source).map(toNumber)
  burn(items.length * VISIT)
  if (at + items.length > view.length) throw thrown('RangeError', 'offset is out of bounds')
  view.set(items, at)
  return undefined
}

/** Sorts a view numerically, or by a comparison function. */
function order(typed: GuestTyped, fn: Guest): GuestTyped {
  const { view } = typed
  if (fn !== undefined) requireCallable(fn, 'sort')
  burn(Math.ceil(view.length * Math.log2(view.length + 2)) * 30)
  if (fn === undefined) view.sort()
  else
    view.sort((a, b) => {
      burn(VISIT)
      return toNumber(invoke2(fn, a, b))
    })
  return typed
}

function copyOf(typed: GuestTyped): GuestTyped {
  return slice(typed, []) as GuestTyped
}

/** Finds the index of a number from a start index; a negative one counts from the end. */
function search(method: 'includes' | 'indexOf') {
  return (receiver: Guest, args: readonly Guest[]): Guest => {
    const { view } = typedOf(receiver, method)
    burn(view.length * MOVE)
    const [wanted, from] = args
    if (typeof wanted !== 'number') return method === 'includes' ? false : -1
    return view[method](wanted, toOffset(from, view.length, 0))
  }
}

function lastIndexOf(receiver: Guest, args: readonly Guest[]): Guest {
  const { view } = typedOf(receiver, 'lastIndexOf')
  burn(view.length * MOVE)
  if (typeof args[0] !== 'number') return -1
  return args.length < 2 ? view.lastIndexOf(args[0]) : view.lastIndexOf(args[0], toInteger(args[1]))
}

function replaced(receiver: Guest, [index, value]: readonly Guest[]): Guest {
  const typed = typedOf(receiver, 'with')
  const { length } = typed.view
  const at = toInteger(index)
  const place = at < 0 ? length + at : at
  const number = toNumber(value)
  if (place < 0 || place >= length) throw thrown('RangeError', 'Invalid typed array index')
  const made = copyOf(typed)
  made.view[place] = number
  return made
}

function listed(mode: IteratorMode) {
  return (receiver: Guest): Guest => {
    return iteratorOf(typedOf(receiver, mode), mode)
  }
}

const rows: Rows = {
  at: [
    1,
    (receiver, args) => {
      const { view } = typedOf(receiver, 'at')
      const at = toInteger(args[0])
      return view[at < 0 ? view.length + at : at]
    },
  ],
  copyWithin: [2, copyWithin],
  entries: [0, listed('entries')],
  every: [1, (receiver, args) => visitItems('every', (_item, _at, value) => !value)(receiver, args).at < 0],
  fill: [1, fill],
  filter: [1, filter],
  find: [1, (receiver, args) => visitItems('find', isTrue)(receiver, args).item],
  findIndex: [1, (receiver, args) => visitItems('findIndex', isTrue)(receiver, args).at],
  findLast: [1, (receiver, args) => visitItems('findLast', isTrue, true)(receiver, args).item],
  findLastIndex: [1, (receiver, args) => visitItems('findLastIndex', isTrue, true)(receiver, args).at],
  forEach: [1, (receiver, args) => void visitItems('forEach', goOn)(receiver, args)],
  includes: [1, search('includes')],
  indexOf: [1, search('indexOf')],
  join: [
    1,
    (receiver, args) => joinView(typedOf(receiver, 'join').view, args[0] === undefined ? ',' : textArgument(args[0])),
  ],
  keys: [0, listed('keys')],
  lastIndexOf: [1, lastIndexOf],
  map: [1, map],
  reduce: [1, reduce('reduce', false)],
  reduceRight: [1, reduce('reduceRight', true)],
  reverse: [
    0,
    (receiver) => {
      const { view } = typedOf(receiver, 'reverse')
      burn(view.length * MOVE)
      view.reverse()
      return receiver
    },
  ],
  set: [1, set],
  slice: [2, slice],
  some: [1, (receiver, args) => visitItems('some', isTrue)(receiver, args).at >= 0],
  sort: [1, (receiver, args) => order(typedOf(receiver, 'sort'), args[0])],
  subarray: [2, subarray],
  toReversed: [
    0,
    (receiver) => {
      const made = copyOf(typedOf(receiver, 'toReversed'))
      made.view.reverse()
      return made
    },
  ],
  toSorted: [1, (receiver, args) => order(copyOf(typedOf(receiver, 'toSorted')), args[0])],
  toString: row(0, (receiver) => typedOf(receiver, 'toString').text()),
  values: [0, listed('values')],
  [ITERATOR]: [0, listed('values')],
  with: [2, replaced],
}

/** Methods of typed arrays. */
export const typedMethods: ReadonlyMap<string, BuiltinFunction> = functions('typedarray', rows)

type Getter = (receiver: never) => Guest

/** Properties of typed arrays. */
export const typedGetters: ReadonlyMap<string, Getter> = new Map<string, Getter>([
  ['BYTES_PER_ELEMENT', ({ view }: GuestTyped) => view.BYTES_PER_ELEMENT],
  ['buffer', ({ buffer }: GuestTyped) => buffer],
  ['byteLength', ({ view }: GuestTyped) => view.byteLength],
  ['byteOffset', ({ view }: GuestTyped) => view.byteOffset],
  ['length', ({ view }: GuestTyped) => view.length],
])
