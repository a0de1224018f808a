import { burn, charge, chargeList, live } from '../../meter/live.ts'
import { limitStop } from '../../meter/stop.ts'
import { invoke } from '../../machine/invoke.ts'
import { isCallable, joinItems, toText, receiverOf } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray, ITEM_BYTES, everyItem, newArray, newPart } from '../../value/guest-array.ts'
import { sameValueZero, strictEquals } from '../../value/operators.ts'
import { readProperty } from '../../value/prototypes/lookup.ts'
import { pushItem } from '../../value/property.ts'
import { lengthen } from '../../value/set-member.ts'
import { GuestObject } from '../../value/guest-object.ts'
import { concat as joined } from '../../value/text/text.ts'
import { thrown } from '../../value/thrown.ts'
import { type Rows, row } from '../constructors.ts'
import { arrayOf, textArgument, toInteger, toOffset } from '../argument-reads.ts'

/** Checks a list that a method is about to mutate. */
export function changing(receiver: Guest, method: string): Guest[] {
  const list = arrayOf(receiver, method)
  if (list.isFrozen) throw thrown('TypeError', `Cannot change a frozen array with ${method}`)
  return list.items
}

/** The same, with all items after an index moved. */
function moving(receiver: Guest, method: string): Guest[] {
  const items = changing(receiver, method)
  burn((receiver as GuestArray).hasGaps ? items.length * 40 : items.length >> 2)
  return items
}

/** Items that a method is about to add. */
function growing(items: readonly Guest[], count: number): void {
  const { arrayLength } = live.machine.limits
  if (items.length + count > arrayLength) throw limitStop('arrayLength', arrayLength)
  charge(count * ITEM_BYTES)
  burn(count * 8)
}

function push(receiver: Guest, args: readonly Guest[]): number {
  const items = changing(receiver, 'push')
  growing(items, args.length)
  for (const arg of args) items.push(arg)
  return items.length
}

function unshift(receiver: Guest, args: readonly Guest[]): number {
  const items = moving(receiver, 'unshift')
  growing(items, args.length)
  insert(items, 0, args)
  return items.length
}

/** Inserts items into a list; many at once via a copy, because the host limits the number of arguments. */
function insert(items: Guest[], at: number, added: readonly Guest[]): void {
  if (added.length < 1_000) {
    items.splice(at, 0, ...added)
    return
  }
  const rest = items.splice(at)
  for (const item of added) items.push(item)
  append(items, rest)
}

/** Appends the items of another list, holes included. */
function append(items: Guest[], added: readonly Guest[]): void {
  for (let index = 0; index < added.length; index += 1) {
    const item = added[index]
    if (item !== undefined || index in added) items.push(item)
    else items.length += 1
  }
}

function shift(receiver: Guest): Guest {
  return moving(receiver, 'shift').shift()
}

function concat(receiver: Guest, args: readonly Guest[]): Guest {
  const list = arrayOf(receiver, 'concat')
  let count = list.items.length
  for (const arg of args) count += arg instanceof GuestArray ? arg.items.length : 1
  chargeList(count)
  burn(count * 16)
  const result = newPart(list.items.slice(), list)
  for (const arg of args) {
    if (arg instanceof GuestArray) {
      append(result.items, arg.items)
      result.hasGaps ||= arg.hasGaps
    } else result.items.push(arg)
  }
  return result
}

function slice(receiver: Guest, from: Guest, to: Guest): Guest {
  const list = arrayOf(receiver, 'slice')
  const { items } = list
  const { length } = items
  const start = toOffset(from, length, 0)
  const end = toOffset(to, length, length)
  const count = Math.max(end - start, 0)
  chargeList(count)
  const part = newPart(items.slice(start, end), list)
  if (part.items.length < count) lengthen(part, count)
  return part
}

/** Restores the previous length of a list, because the conversion of an argument may have changed it. */
function backTo(list: GuestArray, length: number): void {
  if (list.items.length > length) list.items.length = length
  else if (list.items.length < length) lengthen(list, length)
}

/** The items of a list up to a length, even if it has shrunk meanwhile. */
function itemsUpTo(items: readonly Guest[], length: number): Guest[] {
  return items.length === length ? everyItem(items) : Array.from({ length }, (_, index) => items[index])
}

/** Where `splice` cuts, and how much. */
function cutOf(items: readonly Guest[], args: readonly Guest[]): readonly [start: number, count: number] {
  const { length } = items
  const start = toOffset(args[0], length, 0)
  if (args.length === 0) return [start, 0]
  if (args.length === 1) return [start, length - start]
  return [start, Math.min(Math.max(toInteger(args[1]), 0), length - start)]
}

function splice(receiver: Guest, args: readonly Guest[]): Guest {
  const items = moving(receiver, 'splice')
  const { length } = items
  const [start, count] = cutOf(items, args)
  backTo(receiver as GuestArray, length)
  const added = args.slice(2)
  chargeList(count)
  growing(items, added.length)
  const removed = items.splice(start, count)
  insert(items, start, added)
  return newPart(removed, receiver as GuestArray)
}

function toSpliced(receiver: Guest, args: readonly Guest[]): Guest {
  const { items } = arrayOf(receiver, 'toSpliced')
  const { length } = items
  const [start, count] = cutOf(items, args)
  chargeList(length - count + Math.max(args.length - 2, 0))
  const all = itemsUpTo(items, length)
  return newArray([...all.slice(0, start), ...args.slice(2), ...all.slice(start + count)])
}

function fill(receiver: Guest, args: readonly Guest[]): Guest {
  const items = changing(receiver, 'fill')
  const { length } = items
  const start = toOffset(args[1], length, 0)
  const end = toOffset(args[2], length, length)
  burn(Math.max(end - start, 0) * 2)
  if (start < end && items.length < end) lengthen(receiver as GuestArray, end)
  items.fill(args[0], start, end)
  if (start === 0 && end === items.length) (receiver as GuestArray).hasGaps = false
  return receiver
}

function copyWithin(receiver: Guest, args: readonly Guest[]): Guest {
  const items = changing(receiver, 'copyWithin')
  burn(items.length * 60)
  const { length } = items
  const to = toOffset(args[0], length, 0)
  const from = toOffset(args[1], length, 0)
  const end = toOffset(args[2], length, length)
  const { length: now } = items
  if (now < length) lengthen(receiver as GuestArray, length)
  items.copyWithin(to, from, Math.min(end, from + length - to))
  while (items.length > now && !(items.length - 1 in items)) items.length -= 1
  return receiver
}

function reverse(receiver: Guest): Guest {
  if (arrayOf(receiver, 'reverse').items.length < 2) return receiver
  const items = changing(receiver, 'reverse')
  burn(items.length * ((receiver as GuestArray).hasGaps ? 40 : 4))
  items.reverse()
  return receiver
}

function reversed(receiver: Guest): Guest {
  const { items } = arrayOf(receiver, 'toReversed')
  chargeList(items.length)
  return newArray(items.toReversed())
}

function withItem(receiver: Guest, args: readonly Guest[]): Guest {
  const { items } = arrayOf(receiver, 'with')
  const { length } = items
  const index = toInteger(args[0])
  const place = index < 0 ? length + index : index
  if (place < 0 || place >= length) throw thrown('RangeError', 'Invalid index')
  chargeList(length)
  const copy = itemsUpTo(items, length)
  copy[place] = args[1]
  return newArray(copy)
}

function indexOf(receiver: Guest, args: readonly Guest[]): number {
  const { items } = arrayOf(receiver, 'indexOf')
  const [sought] = args
  const { length } = items
  if (length === 0) return -1
  for (let index = toOffset(args[1], length, 0); index < length; index += 1) {
    burn(10)
    if (strictEquals(items[index], sought) && index in items) return index
  }
  return -1
}

function lastIndexOf(receiver: Guest, args: readonly Guest[]): number {
  const { items } = arrayOf(receiver, 'lastIndexOf')
  const [sought] = args
  const { length } = items
  if (length === 0) return -1
  let start = length - 1
  if (args.length > 1) {
    const from = toInteger(args[1])
    start = from < 0 ? length + from : Math.min(from, start)
  }
  for (let index = start; index >= 0; index -= 1) {
    burn(10)
    if (strictEquals(items[index], sought) && index in items) return index
  }
  return -1
}

function includes(receiver: Guest, args: readonly Guest[]): boolean {
  const { items } = arrayOf(receiver, 'includes')
  const [sought] = args
  const { length } = items
  if (length === 0) return false
  for (let index = toOffset(args[1], length, 0); index < length; index += 1) {
    burn(10)
    const item = items[index]
    if (typeof item === 'string' ? strictEquals(item, sought) : sameValueZero(item, sought)) return true
  }
  return false
}

function join(receiver: Guest, args: readonly Guest[]): string {
  const list = arrayOf(receiver, 'join')
  const { length } = list.items
  return joinItems(list, args[0] === undefined ? ',' : textArgument(args[0]), length)
}

function flat(receiver: Guest, args: readonly Guest[]): Guest {
  const list = arrayOf(receiver, 'flat')
  const depth = args[0] === undefined ? 1 : toInteger(args[0])
  const result = newArray([])
  const add = (source: GuestArray, left: number, nesting: number): void => {
    if (nesting > 200) throw thrown('RangeError', 'Arrays are nested too deep to be flattened')
    burn(source.items.length * 20)
    source.items.forEach((item) => {
      if (item instanceof GuestArray && left >= 1) add(item, left - 1, nesting + 1)
      else pushItem(result, item)
    })
  }
  add(list, depth, 0)
  return result
}

function localList(list: GuestArray, args: Guest[]): string {
  // A cyclic list is written as empty, as by `join`.
  if (writing.includes(list)) return ''
  if (writing.length >= 200) throw thrown('RangeError', 'Arrays are nested too deep to be written')
  writing.push(list)
  try {
    return localItems(list, args)
  } finally {
    writing.pop()
  }
}

/** Stack of lists being written, to detect cycles. */
const writing: GuestArray[] = []

function localItems(list: GuestArray, args: Guest[]): string {
  let text = ''
  for (const [index, item] of list.items.entries()) {
    burn(50)
    if (index > 0) text = joined(text, ',')
    if (item !== undefined && item !== null) text = joined(text, localText(item, args))
  }
  return text
}

/** The result of `item.toLocaleString(locale, options)`. */
function localText(item: Guest, args: Guest[]): string {
  const own = item instanceof GuestObject ? readProperty(item, 'toLocaleString') : undefined
  if (isCallable(own)) return toText(invoke(own, args))
  const method = live.machine.builtins.methods.get(receiverOf(item)!)?.get('toLocaleString')
  return toText(method?.builtin === undefined ? item : method.builtin.call(item, args))
}

/** Methods of arrays that call no function. */
export const arrayRows: Rows = {
  at: [
    1,
    (receiver, args) => {
      const { items } = arrayOf(receiver, 'at')
      const { length } = items
      const index = toInteger(args[0])
      return items[index < 0 ? length + index : index]
    },
  ],
  concat: [1, concat],
  copyWithin: [2, copyWithin],
  fill: [1, fill],
  flat: [0, flat],
  includes: [1, includes],
  indexOf: [1, indexOf],
  join: [1, join],
  lastIndexOf: [1, lastIndexOf],
  pop: [0, (receiver) => changing(receiver, 'pop').pop()],
  push: [
    1,
    push,
    {
      one: (receiver, item) => {
        const list = arrayOf(receiver, 'push')
        pushItem(list, item)
        return list.items.length
      },
    },
  ],
  reverse: [0, reverse],
  shift: [0, shift],
  slice: [2, (receiver, args) => slice(receiver, args[0], args[1])],
  splice: [2, splice],
  toLocaleString: row(0, (receiver, args) => localList(arrayOf(receiver, 'toLocaleString'), args.slice(0, 2))),
  toReversed: [0, (receiver) => reversed(receiver)],
  toSpliced: [2, toSpliced],
  toString: row(0, (receiver) => toText(receiver)),
  unshift: [1, unshift],
  with: [2, withItem],
}
