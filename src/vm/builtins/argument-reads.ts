import { BuiltinFunction } from '../value/builtin-function.ts'
import { refused } from '../meter/stop.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from '../value/collections.ts'
import { receiverOf, toNumber, toText } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { touch } from '../value/text/text.ts'
import { thrown } from '../value/thrown.ts'

/** Truncates to an integer; NaN becomes 0, infinities stay. */
export function toInteger(value: Guest): number {
  const number = typeof value === 'number' ? value : toNumber(value)
  return Number.isNaN(number) ? 0 : Math.trunc(number) + 0
}

/** An index counted from the end when negative, kept within the length. */
export function toOffset(value: Guest, length: number, missing: number): number {
  if (value === undefined) return missing
  const index = toInteger(value)
  return index < 0 ? Math.max(length + index, 0) : Math.min(index, length)
}

/** The receiver of a string method as text, charged for because the method reads it. */
export function textOf(receiver: Guest, method: string): string {
  if (typeof receiver !== 'string') throw wrongReceiver('String', method, receiver)
  touch(receiver)
  return receiver
}

/** An argument as text, charged for. */
export function textArgument(value: Guest): string {
  const text = typeof value === 'string' ? value : toText(value)
  touch(text)
  return text
}

export function arrayOf(receiver: Guest, method: string): GuestArray {
  if (receiver instanceof GuestArray) return receiver
  throw wrongReceiver('Array', method, receiver)
}

export function mapOf(receiver: Guest, method: string): GuestMap {
  if (receiver instanceof GuestMap) return receiver
  throw wrongReceiver('Map', method, receiver)
}

export function setOf(receiver: Guest, method: string): GuestSet {
  if (receiver instanceof GuestSet) return receiver
  throw wrongReceiver('Set', method, receiver)
}

export function dateOf(receiver: Guest, method: string): GuestDate {
  if (receiver instanceof GuestDate) return receiver
  throw wrongReceiver('Date', method, receiver)
}

export function regexpOf(receiver: Guest, method: string): GuestRegExp {
  if (receiver instanceof GuestRegExp) return receiver
  throw wrongReceiver('RegExp', method, receiver)
}

export function numberOf(receiver: Guest, method: string): number {
  if (typeof receiver === 'number') return receiver
  throw wrongReceiver('Number', method, receiver)
}

function wrongReceiver(type: string, method: string, receiver: Guest): unknown {
  const found = receiver === undefined || receiver === null ? String(receiver) : receiverOf(receiver)
  const message = `${type}.${method} is called on ${found}. Call it on a value: value.${method}(…).`
  // In other engines methods of texts and lists accept any receiver; other methods only their own type.
  const isGeneric = (type === 'Array' || type === 'String') && receiver !== undefined && receiver !== null
  return isGeneric ? refused(message) : thrown('TypeError', message)
}

/** A short description for messages; never runs code of the program. */
export function describe(value: Guest): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  if (value instanceof BuiltinFunction) return value.path
  if (typeof value !== 'object' || value === null) return String(value)
  return `#<${receiverOf(value) ?? 'object'}>`
}

/** The items of a list of arguments from an index on, `undefined` beyond the end. */
export function argument(args: readonly Guest[], index: number): Guest {
  return index < args.length ? args[index] : undefined
}
