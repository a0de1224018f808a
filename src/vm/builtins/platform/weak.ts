import { burn, charge } from '../../meter/live.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { GuestWeak } from '../../value/native/guest-weak.ts'
import { thrown } from '../../value/thrown.ts'
import { type Rows, functions, global } from '../constructors.ts'
import { itemsOf } from '../iteration.ts'

const ENTRY_BYTES = 64

function weakOf(receiver: Guest, kind: GuestWeak['receiver'], method: string): GuestWeak {
  if (receiver instanceof GuestWeak && receiver.receiver === kind) return receiver
  throw thrown('TypeError', `${method} is called on something that is no ${kind === 'weakmap' ? 'WeakMap' : 'WeakSet'}`)
}

function put(weak: GuestWeak, key: Guest, value: Guest): void {
  if (typeof key !== 'object' || key === null)
    throw thrown('TypeError', `Invalid value used ${weak.receiver === 'weakmap' ? 'as weak map key' : 'in weak set'}`)
  if (!weak.entries.has(key)) charge(ENTRY_BYTES)
  weak.entries.set(key, value)
}

function constructor(kind: GuestWeak['receiver']): BuiltinFunction {
  const name = kind === 'weakmap' ? 'WeakMap' : 'WeakSet'
  return global(name, {
    arity: 0,
    call: () => {
      throw thrown('TypeError', `Constructor ${name} requires 'new'`)
    },
    construct: ([items]) => {
      charge(ENTRY_BYTES)
      const made = new GuestWeak(kind)
      for (const item of items === undefined || items === null ? [] : itemsOf(items)) {
        burn(600)
        if (kind === 'weakset') put(made, item, true)
        else if (item instanceof GuestArray) put(made, item.items[0], item.items[1])
        else throw thrown('TypeError', 'Iterator value is not an entry object')
      }
      return made
    },
  })
}

const weakMapRows: Rows = {
  delete: [1, (receiver, args) => weakOf(receiver, 'weakmap', 'delete').entries.delete(args[0])],
  get: [1, (receiver, args) => weakOf(receiver, 'weakmap', 'get').entries.get(args[0])],
  has: [1, (receiver, args) => weakOf(receiver, 'weakmap', 'has').entries.has(args[0])],
  set: [
    2,
    (receiver, args) => {
      put(weakOf(receiver, 'weakmap', 'set'), args[0], args[1])
      return receiver
    },
  ],
}

const weakSetRows: Rows = {
  add: [
    1,
    (receiver, args) => {
      put(weakOf(receiver, 'weakset', 'add'), args[0], true)
      return receiver
    },
  ],
  delete: [1, (receiver, args) => weakOf(receiver, 'weakset', 'delete').entries.delete(args[0])],
  has: [1, (receiver, args) => weakOf(receiver, 'weakset', 'has').entries.has(args[0])],
}

/** Methods of weak collections. */
export const weakMethods: readonly (readonly ['weakmap' | 'weakset', ReadonlyMap<string, BuiltinFunction>])[] = [
  ['weakmap', functions('weakmap', weakMapRows)],
  ['weakset', functions('weakset', weakSetRows)],
]

/** `WeakMap` and `WeakSet`. */
export const weakGlobals: ReadonlyMap<string, BuiltinFunction> = new Map([
  ['WeakMap', constructor('weakmap')],
  ['WeakSet', constructor('weakset')],
])
