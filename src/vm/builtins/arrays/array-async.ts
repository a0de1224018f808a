import { promiseGlobal } from '../../machine/promises/promise-builtins.ts'
import { refused } from '../../meter/stop.ts'
import { BuiltinFunction } from '../../value/builtin-function.ts'
import type { Guest } from '../../value/guest.ts'
import { newArray } from '../../value/guest-array.ts'
import { GuestObject } from '../../value/guest-object.ts'
import { arrayGlobal } from './array-global.ts'
import { func } from '../constructors.ts'
import { arrayLikeItems, isIterable } from '../iteration.ts'

/** `Array.fromAsync` of a list of promises: what `Promise.all` gives. */
function fromAsync(_: Guest, [source, fn]: readonly Guest[]): Guest {
  if (fn !== undefined)
    throw refused('Array.fromAsync takes a list alone: write `await Promise.all(list.map(async (item) => …))`.')
  const isArrayLike = source instanceof GuestObject && !isIterable(source)
  const all = promiseGlobal.members!.get('all') as BuiltinFunction
  return all.builtin!.call(undefined, [isArrayLike ? newArray(arrayLikeItems(source)) : source])
}

/** `Array` of scripts, which have promises. */
export const scriptArrayGlobal: BuiltinFunction = new BuiltinFunction('Array', {
  builtin: arrayGlobal.builtin,
  construct: arrayGlobal.construct,
  members: new Map([...arrayGlobal.members!, ['fromAsync', func('Array.fromAsync', 1, fromAsync)]]),
})
