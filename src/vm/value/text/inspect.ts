import { burn, chargeText } from '../../meter/live.ts'
import { BuiltinFunction } from '../builtin-function.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from '../collections.ts'
import type { Accessor } from '../prototypes/extra.ts'
import type { Guest } from '../guest.ts'
import { GuestArray } from '../guest-array.ts'
import { GuestFunction } from '../guest-function.ts'
import { GuestError, GuestObject } from '../guest-object.ts'
import { GuestPromise } from '../guest-promise.ts'
import { GuestTyped } from '../native/guest-bytes.ts'
import { GuestNative } from '../native/guest-native.ts'
import { GuestSymbol } from '../symbols.ts'
import { jsonLength } from './json-text.ts'
import { touch } from './text.ts'

const DEPTH_MAX = 6
const ITEMS_MAX = 200

/** Formats a value for output: texts unchanged, data as JSON with `undefined`, dates, maps and sets written out. Never runs code of the program. */
export function inspect(value: Guest, depth = 0): string {
  burn(20)
  if (typeof value === 'string') {
    if (depth > 0) return quoted(value)
    touch(value)
    chargeText(value.length)
    return value
  }
  if (Object.is(value, -0)) return '-0'
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof GuestError) return inspectError(value)
  if (value instanceof GuestDate) return Number.isNaN(value.time) ? 'Invalid Date' : new Date(value.time).toISOString()
  if (value instanceof GuestRegExp) return `/${value.source}/${value.flags}`
  if (value instanceof GuestFunction) return `[Function: ${value.code.name || '(anonymous)'}]`
  if (value instanceof BuiltinFunction)
    return value.builtin === undefined ? `[${value.path}]` : `[Function: ${value.path}]`
  if (value instanceof GuestPromise) return 'Promise'
  if (value instanceof GuestSymbol) return value.text
  if (value instanceof GuestTyped) return `${value.kind}(${value.count}) [${listText(value.view, value.count, String)}]`
  if (value instanceof GuestNative) return value.text()
  if (depth >= DEPTH_MAX) return value instanceof GuestArray ? '[…]' : '{…}'
  return inspectContents(value, depth + 1)
}

function inspectError(error: GuestError): string {
  chargeText(error.name.length + error.message.length)
  return error.message === '' ? error.name : `${error.name}: ${error.message}`
}

function inspectContents(value: Guest, depth: number): string {
  if (value instanceof GuestArray)
    return `[${listText(value.items, value.items.length, (item) => inspect(item, depth))}]`
  if (value instanceof GuestSet) {
    const { values } = value
    return `Set(${values.size}) {${listText(values, values.size, (item) => inspect(item, depth))}}`
  }
  if (value instanceof GuestMap) {
    const { entries } = value
    const pairs = listText(entries, entries.size, ([key, item]) => `${inspect(key, depth)} => ${inspect(item, depth)}`)
    return `Map(${entries.size}) {${pairs}}`
  }
  if (!(value instanceof GuestObject)) return '{}'
  burn(value.size)
  const member = (key: string): string => {
    const accessor = value.accessor(key)
    return `${quoted(key)}:${accessor === undefined ? inspect(value.get(key), depth) : inspectAccessor(accessor)}`
  }
  return `{${listText(value.listKeys(), value.size, member)}}`
}

/** Formats an accessor. A getter is not called, because it may have side effects. */
export function inspectAccessor({ get, set }: Accessor): string {
  if (get === undefined) return '[Setter]'
  return set === undefined ? '[Getter]' : '[Getter/Setter]'
}

/** The first items, and the number of the others. */
function listText<T>(items: Iterable<T>, count: number, show: (item: T) => string): string {
  const shown: string[] = []
  for (const item of items) {
    if (shown.length >= ITEMS_MAX) break
    shown.push(show(item))
  }
  if (count > ITEMS_MAX) shown.push(`… ${count - ITEMS_MAX} more`)
  return joined(shown, ',')
}

function quoted(text: string): string {
  chargeText(jsonLength(text))
  return JSON.stringify(text)
}

export function joined(parts: readonly string[], separator: string): string {
  let length = parts.length
  for (const part of parts) length += part.length
  chargeText(length)
  return parts.join(separator)
}
