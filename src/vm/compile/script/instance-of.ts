import { burn } from '../../meter/live.ts'
import { refused } from '../../meter/stop.ts'
import { BuiltinFunction } from '../../value/builtin-function.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from '../../value/collections.ts'
import { isCallable } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import { GuestError, GuestObject } from '../../value/guest-object.ts'
import { GuestNative } from '../../value/native/guest-native.ts'
import { isBare, prototypeOf } from '../../value/prototypes/lookup.ts'
import { GuestPromise } from '../../value/guest-promise.ts'
import { thrown } from '../../value/thrown.ts'

const TESTS: ReadonlyMap<string, (value: Guest) => boolean> = new Map<string, (value: Guest) => boolean>([
  [
    'Object',
    (value) => typeof value === 'object' && value !== null && !(value instanceof GuestObject && isBare(value)),
  ],
  ['Array', (value) => value instanceof GuestArray],
  ['Function', isCallable],
  ['Map', (value) => value instanceof GuestMap],
  ['Set', (value) => value instanceof GuestSet],
  ['Date', (value) => value instanceof GuestDate],
  ['RegExp', (value) => value instanceof GuestRegExp],
  ['Promise', (value) => value instanceof GuestPromise],
  ['Error', (value) => value instanceof GuestError],
  // Boxed values do not exist here.
  ['String', () => false],
  ['Number', () => false],
  ['Boolean', () => false],
])

function isInstance(value: Guest, type: GuestFunction): boolean {
  const proto = prototypeOf(type)
  if (!(proto instanceof GuestObject))
    throw thrown('TypeError', "Function has non-object prototype 'undefined' in instanceof check")
  if (!(value instanceof GuestObject)) return false
  for (let one = value.extra?.proto ?? null; one !== null; one = one.extra?.proto ?? null) {
    burn(10)
    if (one === proto) return true
  }
  return false
}

/** `value instanceof type`. */
export function instanceOf(value: Guest, type: Guest): boolean {
  if (!isCallable(type)) throw thrown('TypeError', "Right-hand side of 'instanceof' is not callable")
  const test = type instanceof BuiltinFunction ? TESTS.get(type.path) : undefined
  if (test !== undefined) return test(value)
  if (type instanceof GuestFunction) return isInstance(value, type)
  if (!(type instanceof BuiltinFunction) || type.construct === undefined)
    throw refused("Right-hand side of 'instanceof' is no type. Ask `typeof value`, or for a class of your own.")
  if (value instanceof GuestNative && value.type === type.path) return true
  return value instanceof GuestError && value.kind === type.path
}
