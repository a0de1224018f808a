import { IN_TRY, burn, live } from '../meter/live.ts'
import { refused } from '../meter/stop.ts'
import { BuiltinFunction } from './builtin-function.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from './collections.ts'
import type { Guest } from './guest.ts'
import { GuestArray } from './guest-array.ts'
import { GuestFunction } from './guest-function.ts'
import { GuestError, GuestObject } from './guest-object.ts'
import { hasProperty, isBare, readProperty } from './prototypes/lookup.ts'
import { GuestPromise } from './guest-promise.ts'
import { GuestNative } from './native/guest-native.ts'
import { GuestSymbol } from './symbols.ts'
import { concat, touch } from './text/text.ts'
import { thrown } from './thrown.ts'
import type { Receiver } from './builtin-table.ts'

const NESTED_TEXT_MAX = 200
/** Stack of lists being converted to text, to detect cycles. */
const joining: GuestArray[] = []

export function isCallable(value: Guest): boolean {
  return value instanceof GuestFunction || (value instanceof BuiltinFunction && value.builtin !== undefined)
}

/** Returns the result of `typeof`. */
export function typeName(value: Guest): string {
  if (typeof value !== 'object') return typeof value
  if (value instanceof GuestSymbol) return 'symbol'
  return value !== null && isCallable(value) ? 'function' : 'object'
}

/** The receiver type of a value in the built-in table; `undefined` for `null` and `undefined`. */
export function receiverOf(value: Guest): Receiver | undefined {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    default:
      return value === null || value === undefined ? undefined : receiverOfRef(value)
  }
}

function receiverOfRef(value: Guest): Receiver {
  if (value instanceof GuestArray) return 'array'
  if (value instanceof GuestError) return 'error'
  if (value instanceof GuestObject) return 'object'
  if (value instanceof GuestMap) return 'map'
  if (value instanceof GuestSet) return 'set'
  if (value instanceof GuestDate) return 'date'
  if (value instanceof GuestRegExp) return 'regexp'
  if (value instanceof GuestPromise) return 'promise'
  if (value instanceof GuestNative) return value.receiver
  if (value instanceof GuestSymbol) return 'symbol'
  return 'function'
}

/** Converts a value to text, as `String(value)` does. */
export function toText(value: Guest): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return String(value)
  const primitive = toPrimitive(value, 'string')
  return typeof primitive === 'string' ? primitive : String(primitive)
}

/** Converts a value to a number, as `Number(value)` does. */
export function toNumber(value: Guest): number {
  switch (typeof value) {
    case 'number':
      return value
    case 'string':
      return numberOf(value)
    case 'boolean':
      return value ? 1 : 0
    case 'undefined':
      return Number.NaN
    default: {
      if (value === null) return 0
      const primitive = toPrimitive(value, 'number')
      return typeof primitive === 'string' ? numberOf(primitive) : Number(primitive)
    }
  }
}

function numberOf(text: string): number {
  touch(text)
  burn(text.length)
  return Number(text)
}

/** A key of an object. References are refused: their text could change between a check and the use. */
export function toKey(value: Guest): string {
  if (typeof value === 'string') return value
  if (value instanceof GuestSymbol) return value.key
  if (typeof value === 'object' && value !== null)
    throw refused('A key must be a text or a number, not an object. Write String(key) if its text is meant.')
  return String(value)
}

type Primitive = undefined | null | boolean | number | string

/** The primitive of a reference in arithmetic, comparisons and texts. */
export function toPrimitive(value: Guest, hint: 'string' | 'number' | 'default'): Primitive {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof GuestSymbol)
    throw thrown('TypeError', `Cannot convert a Symbol value to a ${hint === 'string' ? 'string' : 'number'}`)
  if (live.isLabelled) live.machine.flow?.readContents(value)
  const wanted =
    hint === 'string' || (hint === 'default' && value instanceof GuestDate)
      ? ['toString', 'valueOf']
      : ['valueOf', 'toString']
  for (const name of wanted) {
    const result = callOwn(value, name)
    if (typeof result !== 'object' || result === null) return result
  }
  throw thrown('TypeError', 'Cannot convert object to primitive value')
}

/** Runs an implicitly called function (`toString`, `valueOf`); labels read so far are control flow for it. */
export function callHidden(call: () => Guest): Guest {
  const { pc } = live
  live.pc |= live.label
  const result = call()
  if ((pc & IN_TRY) === 0) live.pc = pc
  return result
}

function callOwn(value: Guest, name: string): Guest {
  if (value instanceof GuestObject && hasProperty(value, name)) {
    const own = readProperty(value, name)
    // An own property that is not callable hides the built-in method.
    return isCallable(own) ? callHidden(() => live.machine.invoke(own, [], value)) : value
  }
  if (name === 'valueOf') return value instanceof GuestDate ? value.time : value
  if (value instanceof GuestObject && isBare(value)) return value
  return textOfRef(value)
}

function textOfRef(value: Guest): string {
  if (value instanceof GuestArray) return joinItems(value, ',')
  if (value instanceof GuestError) return textOfError(value)
  if (value instanceof GuestFunction || value instanceof BuiltinFunction) return textOfFunction(value)
  if (value instanceof GuestRegExp) return concat(concat(concat('/', value.source), '/'), value.flags)
  if (value instanceof GuestMap) return '[object Map]'
  if (value instanceof GuestSet) return '[object Set]'
  if (value instanceof GuestPromise) return '[object Promise]'
  if (value instanceof GuestNative) return value.text()
  if (value instanceof GuestDate) {
    const method = live.machine.builtins.methods.get('date')?.get('toString')
    return method === undefined ? String(value.time) : (method.builtin!.call(value, []) as string)
  }
  return '[object Object]'
}

function textOfError(error: GuestError): string {
  const { message } = error
  // A class may define the name of its errors by a getter or a property of its prototype.
  const given = error.extra === null ? undefined : readProperty(error, 'name')
  const name = given === undefined ? error.name : toText(given)
  if (message === '') return name
  return name === '' ? message : concat(concat(name, ': '), message)
}

function textOfFunction(value: GuestFunction | BuiltinFunction): string {
  if (value instanceof BuiltinFunction && value.builtin === undefined) return `[object ${value.path}]`
  throw refused('Functions have no text here. Keep what is to be shown in a string.')
}

/** Returns the result of `list.join(separator)`. */
export function joinItems(list: GuestArray, separator: string, length: number = list.items.length): string {
  // A cyclic list is written as empty, as in JavaScript.
  burn(joining.length)
  if (joining.includes(list)) return ''
  if (joining.length >= NESTED_TEXT_MAX) throw thrown('RangeError', 'Lists are nested too deep to be joined.')
  joining.push(list)
  try {
    let text = ''
    const { items } = list
    burn(length * 120)
    for (let i = 0; i < length; i++) {
      const item = items[i]
      if (i > 0) text = concat(text, separator)
      if (item !== null && item !== undefined) text = concat(text, toText(item))
    }
    return text
  } finally {
    joining.pop()
  }
}
