import { refused } from '../../meter/stop.ts'
import { BuiltinFunction } from '../../value/builtin-function.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from '../../value/collections.ts'
import { isCallable } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { GuestError } from '../../value/guest-object.ts'
import { GuestNative } from '../../value/native/guest-native.ts'
import { GuestPromise } from '../../value/guest-promise.ts'
import { thrown } from '../../value/thrown.ts'

const TESTS: ReadonlyMap<string, (value: Guest) => boolean> = new Map<string, (value: Guest) => boolean>([
  ['Object', (value) => typeof value === 'object' && value !== null],
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

/** `value instanceof type`, where the type is a built-in. */
export function instanceOf(value: Guest, type: Guest): boolean {
  if (!isCallable(type)) throw thrown('TypeError', "Right-hand side of 'instanceof' is not callable")
  const test = type instanceof BuiltinFunction ? TESTS.get(type.path) : undefined
  if (test !== undefined) return test(value)
  if (!(type instanceof BuiltinFunction) || type.construct === undefined)
    throw refused(
      "Right-hand side of 'instanceof' is not a built-in type. Mark your objects with a property and ask for it.",
    )
  if (value instanceof GuestNative && value.type === type.path) return true
  return value instanceof GuestError && value.kind === type.path
}
