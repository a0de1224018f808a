import { MandateError } from './errors.ts'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Deep enough for any honest document, shallow enough for every engine's stack. */
const DEPTH_MAX = 256
/** What host code gave stops earlier, because it is put into entries that are nested themselves. */
const PLAIN_DEPTH_MAX = 200

/**
 * The one spelling of a value: sorted keys, no spaces, numbers as ECMAScript prints them. Equal values give equal bytes.
 * Members whose value is `undefined` are left out; everything else that JSON cannot say is an error, not a guess.
 *
 * @example
 * ```ts
 * import { canonical } from 'mandate'
 * canonical({ b: 1, a: [true, null] }) // '{"a":[true,null],"b":1}'
 * ```
 */
export function canonical(value: unknown): string {
  return write(value, 0)
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'number':
      if (Number.isFinite(value)) return Object.is(value, -0) ? '0' : String(value)
      throw notJson(`the number ${value}`)
    case 'object':
      return value === null ? 'null' : writeObject(value, depth)
    default:
      throw notJson(`a ${typeof value}`)
  }
}

function writeObject(value: object, depth: number): string {
  if (depth >= DEPTH_MAX) throw notJson(`nesting deeper than ${DEPTH_MAX} (or a cycle)`)
  if (Array.isArray(value)) {
    let text = '['
    for (let i = 0; i < value.length; i++) text += (i > 0 ? ',' : '') + write(value[i], depth + 1)
    return text + ']'
  }
  if (!isPlain(value)) throw notJson(`an instance of a class (${nameOf(value)})`)
  const record = value as Record<string, unknown>
  const keys = Object.keys(record)
  // Without a comparison of its own, `sort` compares UTF-16 code units, which is just what is wanted; most records need none.
  if (!isSorted(keys)) keys.sort()
  let text = ''
  for (const key of keys) {
    const member = record[key]
    if (member !== undefined) text += (text === '' ? '{' : ',') + quoteKey(key) + write(member, depth + 1)
  }
  return text === '' ? '{}' : text + '}'
}

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return false
  return true
}

/** The same few keys come again and again; the cache is bounded, because guests may bring their own. */
const quotedKeys = new Map<string, string>()
const QUOTED_MAX = 2_000

function quoteKey(key: string): string {
  let quoted = quotedKeys.get(key)
  if (quoted === undefined) {
    quoted = `${JSON.stringify(key)}:`
    if (quotedKeys.size < QUOTED_MAX && key.length < 64) quotedKeys.set(key, quoted)
  }
  return quoted
}

/** Records only: a `Date` or a `Map` would be written as `{}`. The second step allows records of another realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

function nameOf(value: object): string {
  const { constructor } = value as { constructor?: unknown }
  return typeof constructor === 'function' ? constructor.name : 'unnamed'
}

function notJson(what: string): MandateError {
  return new MandateError('JSON_INVALID', `${what} cannot be written as JSON. Convert it to plain data first.`)
}

export interface PlainResult {
  readonly value: Json
  /** What had to be changed or left out, one sentence each; empty when nothing was. */
  readonly issues: readonly string[]
}

/**
 * Makes plain data of whatever host code returned: cycles, class instances, `Map`, `Date`, `BigInt`, functions, getters that throw.
 * Nothing is refused, because a tool has already run by then; what was lost is said in `issues`.
 */
export function toPlain(value: unknown): PlainResult {
  const issues: string[] = []
  const plain = copy(value, { issues, path: '$', above: new Set(), depth: 0 })
  return { value: plain === undefined ? null : plain, issues }
}

interface CopyState {
  readonly issues: string[]
  readonly path: string
  readonly above: Set<object>
  readonly depth: number
}

function copy(value: unknown, state: CopyState): Json | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'undefined':
      return undefined
    case 'number':
      return Number.isFinite(value) ? (Object.is(value, -0) ? 0 : value) : dropped(state, `the number ${value}`, null)
    case 'bigint':
      return dropped(state, 'a bigint (kept as text)', value.toString())
    case 'object':
      return value === null ? null : copyObject(value, state)
    default:
      return dropped(state, `a ${typeof value}`, undefined)
  }
}

function dropped<T>(state: CopyState, what: string, instead: T): T {
  if (state.issues.length < 20) state.issues.push(`${state.path}: ${what} is not JSON`)
  return instead
}

function copyObject(value: object, state: CopyState): Json | undefined {
  if (state.above.has(value)) return dropped(state, 'a cycle', '[cycle]')
  if (state.depth >= PLAIN_DEPTH_MAX) return dropped(state, `nesting deeper than ${PLAIN_DEPTH_MAX}`, '[too deep]')
  state.above.add(value)
  try {
    return copyMembers(value, state)
  } catch {
    return dropped(state, 'an object that throws when it is read', '[unreadable]')
  } finally {
    state.above.delete(value)
  }
}

function copyMembers(value: object, state: CopyState): Json | undefined {
  const below = (key: string | number): CopyState => ({
    ...state,
    path: `${state.path}.${key}`,
    depth: state.depth + 1,
  })
  // `from`, because `map` would keep the holes of an array, which JSON does not have.
  if (Array.isArray(value)) return Array.from(value, (item: unknown, index) => copy(item, below(index)) ?? null)
  if (value instanceof Error) return { name: value.name, message: value.message }
  if (value instanceof Map)
    return copyMembers(Object.fromEntries([...value].map(([k, v]) => [String(k), v as unknown])), state)
  if (value instanceof Set) return copyMembers([...value], state)
  if (ArrayBuffer.isView(value)) return dropped(state, 'binary data', `[${value.byteLength} bytes]`)
  const toJSON = (value as { toJSON?: unknown }).toJSON
  if (typeof toJSON === 'function')
    return copy((toJSON as () => unknown).call(value), { ...state, depth: state.depth + 1 })
  const record: Record<string, Json> = {}
  for (const key of Object.keys(value)) {
    const member = copy((value as Record<string, unknown>)[key], below(key))
    // defineProperty, because assigning to a key named __proto__ would change the prototype instead.
    if (member !== undefined)
      Object.defineProperty(record, key, { value: member, enumerable: true, writable: true, configurable: true })
  }
  return record
}

/** Parses JSON text, or says where it stops being JSON. */
export function parseJson(text: string, what: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw new MandateError('JSON_INVALID', `${what} is not valid JSON: ${(cause as Error).message}`, { cause })
  }
}
