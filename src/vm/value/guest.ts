import type { BuiltinFunction } from './builtin-function.ts'
import type { GuestArray } from './guest-array.ts'
import type { GuestDate, GuestMap, GuestRegExp, GuestSet } from './collections.ts'
import type { GuestFunction } from './guest-function.ts'
import type { GuestObject } from './guest-object.ts'
import type { GuestPromise } from './guest-promise.ts'
import type { GuestNative } from './native/guest-native.ts'
import type { GuestSymbol } from './symbols.ts'

/** A reference inside the VM. All classes are the VM's own: no host object is ever a guest value. */
export type GuestRef =
  | GuestObject
  | GuestArray
  | GuestFunction
  | BuiltinFunction
  | GuestMap
  | GuestSet
  | GuestDate
  | GuestRegExp
  | GuestPromise
  | GuestNative
  | GuestSymbol

/** A value of a program. */
export type Guest = undefined | null | boolean | number | string | GuestRef
