import { invoke } from '../machine/invoke.ts'
import { refused } from '../meter/stop.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import type { Guest } from '../value/guest.ts'
import { GuestFunction } from '../value/guest-function.ts'
import { thrown } from '../value/thrown.ts'
import { itemsOf } from './iteration.ts'
import { type Rows, global } from './constructors.ts'

function callWith(fn: Guest, receiver: Guest, args: Guest[]): Guest {
  if (fn instanceof BuiltinFunction && fn.builtin !== undefined) return fn.builtin.call(receiver, args)
  return invoke(fn, args, receiver)
}

function apply(receiver: Guest, args: readonly Guest[]): Guest {
  const list = args[1]
  return callWith(receiver, args[0], list === undefined || list === null ? [] : itemsOf(list))
}

/** Methods of functions. */
export const functionRows: Rows = {
  apply: [2, apply],
  bind: [
    1,
    () => {
      throw refused(
        '`bind` is only called where it is read: write `fn.bind(self)`, or `(...args) => fn.call(self, ...args)`.',
      )
    },
  ],
  call: [1, (receiver, args) => callWith(receiver, args[0], args.slice(1))],
}

function noCodeFromText(): never {
  throw refused('Code cannot be made from text. Write the function out: `(a, b) => a + b`.')
}

/** `Function`, only for `value instanceof Function`. */
export const functionGlobal: BuiltinFunction = global('Function', { call: noCodeFromText, construct: noCodeFromText })

function restricted(): never {
  throw thrown('TypeError', "'caller' and 'arguments' of functions cannot be read")
}

/** Properties of functions. */
export const functionGetters: ReadonlyMap<string, (receiver: never) => Guest> = new Map<
  string,
  (receiver: never) => Guest
>([
  [
    'length',
    (fn: GuestFunction | BuiltinFunction) => (fn instanceof GuestFunction ? fn.code.arity : (fn.builtin?.arity ?? 0)),
  ],
  ['arguments', restricted],
  ['caller', restricted],
  [
    'name',
    (fn: GuestFunction | BuiltinFunction) => (fn instanceof GuestFunction ? fn.code.name : (fn.builtin?.name ?? '')),
  ],
])
