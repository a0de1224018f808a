import { burn, charge, chargeList, live } from '../meter/live.ts'
import { limitStop } from '../meter/stop.ts'
import type { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from '../value/collections.ts'
import { toNumber } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray, newArray } from '../value/guest-array.ts'
import { GuestError, GuestObject, newObject } from '../value/guest-object.ts'
import { GuestBuffer, GuestDataView, GuestTyped, VIEWS, newBuffer } from '../value/native/guest-bytes.ts'
import { noteMade } from '../value/text/text.ts'
import { newError, thrown } from '../value/thrown.ts'
import { func } from './constructors.ts'
import { describe, textArgument } from './argument-reads.ts'

/** Characters that stay as they are in every encoding; only others need room for their bytes. */
const kept = /^[\w\-.!~*'()]*$/

/** Encoding one character takes up to nine; decoding never grows. The unused charge is returned. */
function coded(name: string, growth: number, work: (text: string) => string, same: RegExp = kept): BuiltinFunction {
  return func(name, 1, (_, args) => {
    const text = textArgument(args[0])
    burn(text.length)
    if (growth > 1 && same.test(text)) return text
    const most = text.length * growth
    charge(most + 24)
    burn(text.length * 10)
    let made: string
    try {
      made = work(text)
    } catch {
      throw thrown('URIError', 'URI malformed')
    }
    live.memory += most - made.length
    const { stringLength } = live.machine.limits
    if (made.length > stringLength) throw limitStop('stringLength', stringLength)
    return noteMade(made)
  })
}

const DEPTH_MAX = 500

/** Copies data, preserving sharing and cycles. */
function copy(value: Guest, seen: Map<Guest, Guest>, depth: number): Guest {
  if (typeof value !== 'object' || value === null) return value
  const known = seen.get(value)
  if (known !== undefined) return known
  if (depth > DEPTH_MAX) throw thrown('RangeError', `The value is nested deeper than ${DEPTH_MAX} levels`)
  burn(200)
  const keep = <T extends Guest>(made: T): T => {
    seen.set(value, made)
    return made
  }
  const inner = (part: Guest): Guest => copy(part, seen, depth + 1)
  if (value instanceof GuestArray) return copyList(value, keep(newArray([])), inner)
  if (value instanceof GuestError) return copyError(value, keep(newError(value.name, value.message)), inner)
  if (value instanceof GuestObject) return copyObject(value, keep(newObject()), inner)
  return copyOther(value, keep, inner)
}

function copyList(from: GuestArray, to: GuestArray, inner: (part: Guest) => Guest): Guest {
  chargeList(from.items.length)
  const { items } = to
  from.items.forEach((item, index) => {
    if (items.length < index) items.length = index
    items.push(inner(item))
  })
  items.length = from.items.length
  to.hasGaps = from.hasGaps
  if (from.named !== null) {
    to.named = newObject()
    copyObject(from.named, to.named, inner)
  }
  return to
}

function copyObject(from: GuestObject, to: GuestObject, inner: (part: Guest) => Guest): Guest {
  burn(from.size * 150)
  for (const key of from.listKeys()) to.set(key, inner(from.get(key)))
  return to
}

function copyError(from: GuestError, to: GuestError, inner: (part: Guest) => Guest): Guest {
  to.cause = inner(from.cause)
  return to
}

function copyOther(value: Guest, keep: <T extends Guest>(made: T) => T, inner: (part: Guest) => Guest): Guest {
  charge(64)
  if (value instanceof GuestDate) return keep(new GuestDate(value.time))
  if (value instanceof GuestRegExp) return keep(new GuestRegExp(value.source, value.flags))
  if (value instanceof GuestMap) {
    const made = keep(new GuestMap())
    charge(value.entries.size * 64)
    burn(value.entries.size * 300)
    for (const [key, item] of value.entries) made.entries.set(inner(key), inner(item))
    return made
  }
  if (value instanceof GuestSet) {
    const made = keep(new GuestSet())
    charge(value.values.size * 64)
    burn(value.values.size * 200)
    for (const item of value.values) made.values.add(inner(item))
    return made
  }
  if (value instanceof GuestBuffer) {
    const made = keep(newBuffer(value.data.byteLength))
    new Uint8Array(made.data).set(new Uint8Array(value.data))
    return made
  }
  if (value instanceof GuestTyped) {
    const buffer = inner(value.buffer) as GuestBuffer
    const { byteOffset, length } = value.view
    return keep(new GuestTyped(value.kind, buffer, new VIEWS[value.kind](buffer.data, byteOffset, length)))
  }
  if (value instanceof GuestDataView) {
    const buffer = inner(value.buffer) as GuestBuffer
    return keep(new GuestDataView(buffer, new DataView(buffer.data, value.view.byteOffset, value.view.byteLength)))
  }
  throw thrown('DataCloneError', `${describe(value)} could not be cloned.`)
}

/** Globals that are functions by themselves. */
export const globalFunctions: ReadonlyMap<string, BuiltinFunction> = new Map<string, BuiltinFunction>([
  ['decodeURI', coded('decodeURI', 1, decodeURI)],
  ['decodeURIComponent', coded('decodeURIComponent', 1, decodeURIComponent)],
  ['encodeURI', coded('encodeURI', 9, encodeURI)],
  ['encodeURIComponent', coded('encodeURIComponent', 9, encodeURIComponent)],
  ['escape', coded('escape', 6, (text) => globalThis.escape(text), /^[\w@*+\-./]*$/)],
  ['isFinite', func('isFinite', 1, (_, args) => Number.isFinite(toNumber(args[0])))],
  ['isNaN', func('isNaN', 1, (_, args) => Number.isNaN(toNumber(args[0])))],
  ['unescape', coded('unescape', 1, (text) => globalThis.unescape(text))],
  ['structuredClone', func('structuredClone', 1, (_, args) => copy(args[0], new Map(), 0))],
])
