import { invoke, invoke2, requireCallable } from '../../machine/invoke.ts'
import { burn, chargeList } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray, newArray } from '../../value/guest-array.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import { pushItem } from '../../value/property.ts'
import { thrown } from '../../value/thrown.ts'
import { itemCall } from '../callbacks.ts'
import type { Row, Rows } from '../constructors.ts'
import { arrayOf } from '../argument-reads.ts'

/** Units per iteration, besides the cost of the callback. */
const TURN = 20

/** Visits the items that existed at the start and still exist; holes are skipped. */
function visit(
  receiver: Guest,
  fn: Guest,
  method: string,
  turn: (result: Guest, item: Guest, index: number) => boolean,
): boolean {
  const list = arrayOf(receiver, method)
  const call = itemCall(fn, method)
  const { items } = list
  const { length } = items
  for (let index = 0; index < length && index < items.length; index += 1) {
    burn(TURN)
    const item = items[index]
    if (item === undefined && !(index in items)) continue
    if (!turn(call(item, index, list), item, index)) return false
  }
  return true
}

function map(receiver: Guest, fn: Guest): Guest {
  const list = arrayOf(receiver, 'map')
  const call = itemCall(fn, 'map')
  const { items } = list
  const { length } = items
  chargeList(length)
  const result: Guest[] = []
  let hasGaps = false
  for (let index = 0; index < length; index += 1) {
    burn(TURN)
    const item = items[index]
    // Holes, and items removed meanwhile, are holes in the result.
    if (item !== undefined || index in items) result.push(call(item, index, list))
    else {
      result.length += 1
      hasGaps = true
    }
  }
  const made = newArray(result)
  made.hasGaps = hasGaps
  return made
}

function filter(receiver: Guest, fn: Guest): Guest {
  const kept = newArray([])
  const list = arrayOf(receiver, 'filter')
  const call = itemCall(fn, 'filter')
  const { items } = list
  const { length } = items
  for (let index = 0; index < length && index < items.length; index += 1) {
    burn(TURN)
    const item = items[index]
    if (item === undefined && !(index in items)) continue
    if (call(item, index, list)) pushItem(kept, item)
  }
  return kept
}

function forEach(receiver: Guest, fn: Guest): Guest {
  visit(receiver, fn, 'forEach', () => true)
  return undefined
}

/** Finds by a callback, from either end; items removed meanwhile read as `undefined`. */
function seek(receiver: Guest, fn: Guest, method: string): { item: Guest; index: number } {
  const list = arrayOf(receiver, method)
  const call = itemCall(fn, method)
  const { items } = list
  const { length } = items
  const isLast = method.startsWith('findLast')
  for (let turn = 0; turn < length; turn += 1) {
    burn(TURN)
    const index = isLast ? length - 1 - turn : turn
    const item = items[index]
    if (call(item, index, list)) return { item, index }
  }
  return { item: undefined, index: -1 }
}

function flatMap(receiver: Guest, fn: Guest): Guest {
  const flat = newArray([])
  visit(receiver, fn, 'flatMap', (result) => {
    if (result instanceof GuestArray) {
      burn(result.items.length * TURN)
      result.items.forEach((item) => pushItem(flat, item))
    } else pushItem(flat, result)
    return true
  })
  return flat
}

function reduce(receiver: Guest, args: readonly Guest[], isRight: boolean): Guest {
  const method = isRight ? 'reduceRight' : 'reduce'
  const list = arrayOf(receiver, method)
  const [fn] = args
  requireCallable(fn, method)
  const { items } = list
  const { length } = items
  const takesTwo = fn instanceof GuestFunction && fn.code.params === 2 && fn.code.isPlain
  let turn = 0
  let sum = args[1]
  if (args.length < 2) {
    for (; turn < length && !((isRight ? length - 1 - turn : turn) in items); turn += 1) burn(TURN)
    if (turn === length) throw thrown('TypeError', 'Reduce of empty array with no initial value')
    sum = items[isRight ? length - 1 - turn : turn]
    turn += 1
  }
  for (; turn < length; turn += 1) {
    const index = isRight ? length - 1 - turn : turn
    burn(TURN)
    const item = items[index]
    if (item === undefined && !(index in items)) continue
    sum = takesTwo ? invoke2(fn, sum, item) : invoke(fn, [sum, item, index, list])
  }
  return sum
}

type ByFunction = (receiver: Guest, fn: Guest) => Guest

const byFunction = (work: ByFunction): Row => [1, (receiver, args) => work(receiver, args[0]), { one: work }]

/** Methods of arrays that call a function. */
export const arrayCallbackRows: Rows = {
  every: byFunction((receiver, fn) => visit(receiver, fn, 'every', (result) => !!result)),
  filter: byFunction(filter),
  find: byFunction((receiver, fn) => seek(receiver, fn, 'find').item),
  findIndex: byFunction((receiver, fn) => seek(receiver, fn, 'findIndex').index),
  findLast: byFunction((receiver, fn) => seek(receiver, fn, 'findLast').item),
  findLastIndex: byFunction((receiver, fn) => seek(receiver, fn, 'findLastIndex').index),
  flatMap: byFunction(flatMap),
  forEach: byFunction(forEach),
  map: byFunction(map),
  reduce: [1, (receiver, args) => reduce(receiver, args, false)],
  reduceRight: [1, (receiver, args) => reduce(receiver, args, true)],
  some: byFunction((receiver, fn) => !visit(receiver, fn, 'some', (result) => !result)),
}
