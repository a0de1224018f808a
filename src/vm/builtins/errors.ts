import { refused } from '../meter/stop.ts'
import type { BuiltinFunction } from '../value/builtin-function.ts'
import { toText } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { newArray } from '../value/guest-array.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import { hasProperty, readProperty } from '../value/prototypes/lookup.ts'
import { newError, thrown } from '../value/thrown.ts'
import { itemsOf } from './iteration.ts'
import { type Rows, functions, global, row } from './constructors.ts'

const names = ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError'] as const

function make(name: string, message: Guest, options: Guest): GuestError {
  const error = newError(name, message === undefined ? '' : toText(message))
  if (options instanceof GuestObject && hasProperty(options, 'cause')) error.cause = readProperty(options, 'cause')
  return error
}

function makeAggregate(args: readonly Guest[]): Guest {
  const error = make('AggregateError', args[1], args[2])
  error.errors = newArray(itemsOf(args[0]))
  return error
}

/** Does nothing: errors have their stack text from the start. */
function captureStackTrace(_: Guest, [target]: readonly Guest[]): Guest {
  if (target instanceof GuestError) return undefined
  if (typeof target !== 'object' || target === null) throw thrown('TypeError', 'Invalid argument')
  throw refused('Only errors have a stack here: write `const { stack } = new Error(message)`.')
}

const errorMembers = new Map<string, Guest>([
  ...functions('Error', {
    captureStackTrace: [2, captureStackTrace],
    isError: [1, (_, [value]) => value instanceof GuestError],
  }),
  ['stackTraceLimit', 10],
])

/** `Error` and its subtypes, callable with and without `new`. */
export const errorGlobals: ReadonlyMap<string, BuiltinFunction> = new Map([
  ...names.map((name): [string, BuiltinFunction] => {
    const construct = (args: readonly Guest[]): Guest => make(name, args[0], args[1])
    const members = name === 'Error' ? errorMembers : undefined
    return [name, global(name, { call: (_, args) => construct(args), construct, members })]
  }),
  [
    'AggregateError',
    global('AggregateError', { arity: 2, call: (_, args) => makeAggregate(args), construct: makeAggregate }),
  ],
])

/** Methods of errors. */
export const errorRows: Rows = {
  toString: row(0, (receiver) => toText(receiver)),
}
