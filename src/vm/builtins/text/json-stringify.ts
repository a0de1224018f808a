import { invoke, invoke2 } from '../../machine/invoke.ts'
import { burn, chargeString } from '../../meter/live.ts'
import { BuiltinFunction } from '../../value/builtin-function.ts'
import { GuestDate } from '../../value/collections.ts'
import { callHidden, isCallable, toText } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import { GuestObject } from '../../value/guest-object.ts'
import { jsonLength } from '../../value/text/json-text.ts'
import { GuestNative } from '../../value/native/guest-native.ts'
import { GuestUrl } from '../../value/native/guest-url.ts'
import { getNamed } from '../../value/property.ts'
import { readProperty } from '../../value/prototypes/lookup.ts'
import { thrown } from '../../value/thrown.ts'
import { isoText } from './date-text.ts'
import { toInteger } from '../argument-reads.ts'

/** Deeper values are refused: the walk is recursive. */
const DEPTH_MAX = 500

/** Writes a guest value as JSON text, with the rules and the order of `JSON.stringify`. */
class Writer {
  private readonly indent: string
  private readonly replacer: Guest
  private readonly keys: readonly string[] | undefined
  private readonly around: Guest[] = []

  constructor(replacer: Guest, space: Guest) {
    this.indent = indentOf(space)
    this.replacer = isCallable(replacer) ? replacer : undefined
    this.keys = replacer instanceof GuestArray ? allowedKeys(replacer) : undefined
  }

  /** The JSON text of a value, or `undefined` if JSON omits it. */
  value(key: string, given: Guest, margin: string): string | undefined {
    burn(400)
    const value = this.prepared(key, given)
    if (value === null) return 'null'
    switch (typeof value) {
      case 'string':
        return quoted(value)
      case 'number':
        return Number.isFinite(value) ? String(value) : 'null'
      case 'boolean':
        return String(value)
      case 'undefined':
        return undefined
      default:
        return this.reference(value, margin)
    }
  }

  private prepared(key: string, given: Guest): Guest {
    let value = given
    if (value instanceof GuestDate) value = Number.isNaN(value.time) ? null : isoText(value.time)
    else if (value instanceof GuestUrl) value = value.text()
    else if (value instanceof GuestObject) {
      const holder = value
      const own = readProperty(holder, 'toJSON')
      if (isCallable(own)) value = callHidden(() => invoke(own, [key], holder))
    }
    return this.replacer === undefined ? value : invoke2(this.replacer, key, value)
  }

  private reference(value: Guest, margin: string): string | undefined {
    if (value instanceof GuestFunction) return undefined
    if (value instanceof BuiltinFunction) return value.builtin === undefined ? '{}' : undefined
    burn(this.around.length)
    if (this.around.includes(value)) throw thrown('TypeError', 'Converting circular structure to JSON')
    if (this.around.length >= DEPTH_MAX) {
      throw thrown('RangeError', `The value is nested deeper than ${DEPTH_MAX} levels`)
    }
    this.around.push(value)
    const inner = margin + this.indent
    const parts = value instanceof GuestArray ? this.items(value, inner) : this.members(value, inner)
    this.around.pop()
    const [open, close] = value instanceof GuestArray ? '[]' : '{}'
    if (parts.length === 0) return `${open}${close}`
    const isFlat = this.indent === ''
    const between = isFlat ? ',' : `,\n${inner}`
    const around = isFlat ? 2 : 4 + inner.length + margin.length
    let length = around + (parts.length - 1) * between.length
    for (const part of parts) length += part.length
    burn(parts.length * 40)
    chargeString(length)
    const text = parts.join(between)
    return isFlat ? `${open}${text}${close}` : `${open}\n${inner}${text}\n${margin}${close}`
  }

  private items(value: GuestArray, margin: string): string[] {
    const parts: string[] = []
    const { length } = value.items
    for (let index = 0; index < length; index += 1) {
      parts.push(this.value(String(index), value.items[index], margin) ?? 'null')
    }
    return parts
  }

  /** The items of a typed array, by their index. */
  private indexed(value: GuestNative, margin: string): string[] {
    const parts: string[] = []
    const length = value.count!
    for (let index = 0; index < length; index += 1) {
      const key = String(index)
      if (this.keys !== undefined && !this.keys.includes(key)) continue
      const text = this.value(key, value.itemAt(index), margin)
      if (text !== undefined) parts.push(`${quoted(key)}:${this.indent === '' ? '' : ' '}${text}`)
    }
    return parts
  }

  private members(value: Guest, margin: string): string[] {
    const parts: string[] = []
    if (value instanceof GuestNative && value.isIndexed) return this.indexed(value, margin)
    if (!(value instanceof GuestObject)) return parts
    for (const key of this.keys ?? value.listKeys()) {
      // Explicitly requested keys may be non-enumerable ones, such as those of errors.
      const member = this.keys === undefined ? value.get(key) : getNamed(value, key)
      const text = this.value(key, member, margin)
      if (text !== undefined) parts.push(`${quoted(key)}:${this.indent === '' ? '' : ' '}${text}`)
    }
    return parts
  }
}

function quoted(text: string): string {
  chargeString(jsonLength(text))
  return JSON.stringify(text)
}

function indentOf(space: Guest): string {
  if (typeof space === 'number') return ' '.repeat(Math.min(10, Math.max(0, toInteger(space))))
  return typeof space === 'string' ? space.slice(0, 10) : ''
}

function allowedKeys(list: GuestArray): string[] {
  burn(list.items.length * 10)
  const keys = list.items.filter((item) => typeof item === 'string' || typeof item === 'number').map(toText)
  return [...new Set(keys)]
}

/** `JSON.stringify(value, replacer, space)`. */
export function stringifyJson(_: Guest, args: readonly Guest[]): Guest {
  return new Writer(args[1], args[2]).value('', args[0], '')
}
