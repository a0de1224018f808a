import { burn, chargeList } from '../../meter/live.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray, newArray } from '../../value/guest-array.ts'
import { pushItem } from '../../value/property.ts'
import { thrown } from '../../value/thrown.ts'
import { type ItemCall, itemCall } from '../callbacks.ts'
import { arrayLikeItems } from '../iteration.ts'
import { functions, global } from '../constructors.ts'

function make(args: Guest[]): Guest {
  const [length] = args
  if (args.length !== 1 || typeof length !== 'number') {
    chargeList(args.length)
    return newArray(args.slice())
  }
  if (!Number.isInteger(length) || length < 0 || length > 4_294_967_295)
    throw thrown('RangeError', 'Invalid array length')
  return empty(length)
}

/** A list of holes. */
function empty(length: number): GuestArray {
  chargeList(length)
  const made = newArray([])
  made.items.length = length
  made.hasGaps = length > 0
  return made
}

/** Iterates live, because the callback may change the list. */
function mapped(source: GuestArray, call: ItemCall): Guest {
  const result = newArray([])
  for (let index = 0; index < source.items.length; index += 1) {
    burn(20)
    pushItem(result, call(source.items[index], index, undefined))
  }
  return result
}

function from(_: Guest, args: readonly Guest[]): Guest {
  const [source, fn] = args
  if (fn === undefined) return newArray(arrayLikeItems(source))
  const call = itemCall(fn, 'Array.from')
  if (source instanceof GuestArray) return mapped(source, call)
  const items = arrayLikeItems(source)
  for (let index = 0; index < items.length; index += 1) {
    burn(20)
    items[index] = call(items[index], index, undefined)
  }
  return newArray(items)
}

/** `Array` and its functions. */
export const arrayGlobal: BuiltinFunction = global('Array', {
  call: (_, args) => make(args),
  construct: make,
  members: functions('Array', {
    from: [1, from],
    isArray: [1, (_, args) => args[0] instanceof GuestArray],
    of: [
      0,
      (_, args) => {
        chargeList(args.length)
        return newArray(args.slice())
      },
    ],
  }),
})
