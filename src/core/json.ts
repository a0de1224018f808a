import { MandateError } from './errors.ts'
import { setMember } from './deep-freeze.ts'

/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** A plain object of JSON values. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** Lower than the depth limit of entries, because host values become part of entries, which are nested themselves. */
const PLAIN_DEPTH_MAX = 200

interface PlainResult {
  readonly value: Json
  /** What had to be changed or left out, one sentence each; empty if nothing was. */
  readonly issues: readonly string[]
}

/**
 * Converts any value that host code returned to plain data: cycles, class instances, `Map`, `Date`, `BigInt`, functions, getters that throw. Nothing
 * is refused, because a tool has already run by then; losses are listed in `issues`. With `isFrozen` the copy is frozen.
 */
export function toPlain(value: unknown, isFrozen = false): PlainResult {
  if (isFrozen && typeof value === 'object' && value !== null && frozenCopies.has(value))
    return { value: value as Json, issues: NO_ISSUES }
  const simple = simpleCopy(value, isFrozen)
  if (simple !== ODD) {
    if (isFrozen && typeof simple === 'object' && simple !== null) frozenCopies.add(simple)
    return { value: simple, issues: NO_ISSUES }
  }
  const copying: Copying = { issues: [], path: [], above: [], isFrozen }
  const plain = copy(value, copying)
  return { value: plain === undefined ? standIn(value) : plain, issues: copying.issues }
}

/** Frozen copies that were made here and need not be copied again. */
const frozenCopies = new WeakSet<object>()

const NO_ISSUES: readonly string[] = Object.freeze([])

/** Marks a value that is not quite plain data: it is copied again by the complete algorithm, which tracks ancestors and paths. */
const ODD: unique symbol = Symbol('odd')

/** The fast path: nearly every value is plain data already. */
function simpleCopy(value: unknown, isFrozen: boolean): Json | typeof ODD {
  try {
    return copySimply(value, [], isFrozen)
  } catch {
    return ODD
  }
}

function copySimply(value: unknown, above: object[], isFrozen: boolean): Json | typeof ODD {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value + 0 : ODD
    case 'object':
      if (value === null) return null
      if (above.length >= PLAIN_DEPTH_MAX || above.includes(value)) return ODD
      break
    default:
      return ODD
  }
  above.push(value)
  const made = Array.isArray(value) ? copyList(value, above, isFrozen) : copyRecord(value, above, isFrozen)
  above.pop()
  return isFrozen && made !== ODD ? Object.freeze(made) : made
}

function copyList(list: readonly unknown[], above: object[], isFrozen: boolean): Json[] | typeof ODD {
  const items: Json[] = []
  for (let index = 0; index < list.length; index++) {
    const item = list[index] === undefined ? null : copySimply(list[index], above, isFrozen)
    if (item === ODD) return ODD
    items.push(item)
  }
  return items
}

function copyRecord(value: object, above: object[], isFrozen: boolean): JsonObject | typeof ODD {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return ODD
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return ODD
  const record: Record<string, Json> = {}
  for (const key in value) {
    const given = (value as Record<string, unknown>)[key]
    if (given === undefined) continue
    // oxlint-disable-next-line prefer-object-has-own -- V8 optimizes this call inside `for … in`
    if (!Object.prototype.hasOwnProperty.call(value, key)) return ODD
    const member = copySimply(given, above, isFrozen)
    if (member === ODD) return ODD
    setMember(record, key, member)
  }
  return record
}

/** The state of one copy, shared by all levels of nesting. A hot path: every result of every tool is copied here. */
interface Copying {
  readonly issues: string[]
  readonly path: (string | number)[]
  /** The ancestors of the current object, outermost first. */
  readonly above: object[]
  readonly isFrozen: boolean
}

function copy(value: unknown, copying: Copying): Json | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'undefined':
      return undefined
    case 'number':
      return Number.isFinite(value) ? value + 0 : dropped(copying, `the number ${value}`, null)
    case 'bigint':
      return dropped(copying, 'a bigint (kept as text)', value.toString())
    case 'object':
      return value === null ? null : copyObject(value, copying)
    default:
      return dropped(copying, `a ${typeof value}`, undefined)
  }
}

/** The replacement of a value that JSON cannot represent. As members of objects such values are left out, as methods are. */
function standIn(value: unknown): Json {
  return typeof value === 'function' || typeof value === 'symbol' ? `[${typeof value}]` : null
}

function dropped<T>({ issues, path }: Copying, what: string, instead: T): T {
  if (issues.length < 20) issues.push(`${['$', ...path].join('.')}: ${what} is not JSON`)
  return instead
}

function copyObject(value: object, copying: Copying): Json | undefined {
  const { above, path } = copying
  if (above.includes(value)) return dropped(copying, 'a cycle', '[cycle]')
  if (above.length >= PLAIN_DEPTH_MAX) return dropped(copying, `nesting deeper than ${PLAIN_DEPTH_MAX}`, '[too deep]')
  const depth = path.length
  above.push(value)
  try {
    const made = Array.isArray(value) ? copyItems(value, copying) : copyMembers(value, copying)
    return copying.isFrozen && typeof made === 'object' ? Object.freeze(made) : made
  } catch {
    path.length = depth
    return dropped(copying, 'an object that throws when it is read', '[unreadable]')
  } finally {
    above.pop()
  }
}

/** Copies by index, because other iterations skip holes, which JSON does not have. */
function copyItems(list: readonly unknown[], copying: Copying): Json[] {
  const items: Json[] = []
  for (let index = 0; index < list.length; index++) {
    copying.path.push(index)
    items.push(copy(list[index], copying) ?? standIn(list[index]))
    copying.path.pop()
  }
  return items
}

function copyMembers(value: object, copying: Copying): Json | undefined {
  if (value instanceof Error) return { name: value.name, message: value.message }
  if (value instanceof Map)
    return copyMembers(Object.fromEntries([...value].map(([k, v]) => [String(k), v as unknown])), copying)
  if (value instanceof Set) return copyItems([...value], copying)
  if (ArrayBuffer.isView(value)) return dropped(copying, 'binary data', `[${value.byteLength} bytes]`)
  const toJSON = (value as { toJSON?: unknown }).toJSON
  if (typeof toJSON === 'function') return copy((toJSON as () => unknown).call(value), copying)
  const record: Record<string, Json> = {}
  for (const key of Object.keys(value)) {
    copying.path.push(key)
    const member = copy((value as Record<string, unknown>)[key], copying)
    copying.path.pop()
    if (member === undefined) continue
    setMember(record, key, member)
  }
  return record
}

/** Parses JSON text. The error names the position. */
export function parseJson(text: string, what: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw new MandateError('JSON_INVALID', `${what} is not valid JSON: ${(cause as Error).message}`, { cause })
  }
}

/** Whether a value is an object that is not a list. */
export function isRecord(value: Json | undefined): value is JsonObject
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>>
export function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is an async iterable. A record that merely has a member of that name is none. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isRecord(value) && typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
}
