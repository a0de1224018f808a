import { MandateError } from '../errors.ts'

/** Deep enough for any honest document, shallow enough for every engine's stack. */
const DEPTH_MAX = 256

/**
 * The one spelling of a value: sorted keys, no spaces, numbers as ECMAScript prints them. Equal values give equal bytes.
 * Members whose value is `undefined` are left out; everything else that JSON cannot say is an error, not a guess.
 */
export function canonical(value: unknown): string {
  return write(value, 0)
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'number':
      // Zero by itself, because there are two of them and JSON has one.
      if (Number.isFinite(value)) return value === 0 ? '0' : String(value)
      throw notJson(`the number ${value}`)
    case 'object':
      return value === null ? 'null' : writeObject(value, depth)
    default:
      throw notJson(`a ${typeof value}`)
  }
}

/** Texts of large frozen values, written before the entry that they become a part of. */
let written: WeakMap<object, string> | undefined
/** So deep large values stand in entries: the outcome of an effect, and its value. */
const WRITTEN_DEPTH = 3

/** Writes the text of a large value, so that the entry it becomes a part of is made without doing so. It must be frozen and in canonical order all the way down. */
export function writeAhead(ordered: object): void {
  ;(written ??= new WeakMap()).set(ordered, write(ordered, WRITTEN_DEPTH))
}

function writeObject(value: object, depth: number): string {
  if (depth >= DEPTH_MAX) throw notJson(`nesting deeper than ${DEPTH_MAX} (or a cycle)`)
  const known = written === undefined || depth > WRITTEN_DEPTH ? undefined : written.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    let text = `[${write(value[0], depth + 1)}`
    for (let i = 1; i < value.length; i++) text += `,${write(value[i], depth + 1)}`
    return `${text}]`
  }
  if (!isPlain(value)) throw notJson(`an instance of a class (${nameOf(value)})`)
  const record = value as Record<string, unknown>
  return isOrdered(record) ? writeOrdered(record, depth) : writeSorted(record, depth)
}

/**
 * The same value with its keys in the order in which they are written: what is read back from a store has them so, and whoever walks over keys must not
 * be able to tell the two apart. A value that is in order already is given as it is.
 */
export function inCanonicalOrder<T>(value: T, depth = 0): T {
  // What is too deep to be written is refused there.
  if (typeof value !== 'object' || value === null || depth >= DEPTH_MAX) return value
  if (written !== undefined && depth <= WRITTEN_DEPTH && written.has(value)) return value
  const ordered = Array.isArray(value)
    ? orderedList(value, depth)
    : orderedRecord(value as Record<string, unknown>, depth)
  return (ordered !== value && Object.isFrozen(value) ? Object.freeze(ordered) : ordered) as T
}

function orderedList(list: readonly unknown[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let i = 0; i < list.length; i++) {
    const item = inCanonicalOrder(list[i], depth + 1)
    if (item !== list[i]) (copy ??= [...list])[i] = item
  }
  return copy ?? list
}

function orderedRecord(record: Record<string, unknown>, depth: number): Record<string, unknown> {
  if (!isPlain(record)) return record
  let isSame = isOrdered(record)
  const entries = Object.entries(record).map(([key, member]): [string, unknown] => {
    const ordered = inCanonicalOrder(member, depth + 1)
    if (ordered !== member) isSame = false
    return [key, ordered]
  })
  return isSame ? record : Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Whether walking a record gives its keys as they are written, and nothing that it inherits. */
function isOrdered(record: object): boolean {
  let last = ''
  for (const key in record) {
    // The engine knows the answer to this one while it walks; it does not for `Object.hasOwn`.
    // oxlint-disable-next-line prefer-object-has-own
    if (key < last || !Object.prototype.hasOwnProperty.call(record, key)) return false
    last = key
  }
  return true
}

/** While a record is walked, each of its members is read where it lies; by a list of its keys, each would have to be found. */
function writeOrdered(record: Record<string, unknown>, depth: number): string {
  let text = ''
  for (const key in record) {
    const member = record[key]
    if (member !== undefined)
      text += (text === '' ? quoteKey(key).first : quoteKey(key).next) + write(member, depth + 1)
  }
  return text === '' ? '{}' : text + '}'
}

function writeSorted(record: Record<string, unknown>, depth: number): string {
  let text = ''
  for (const key of sorted(Object.keys(record))) {
    const member = record[key]
    if (member !== undefined)
      text += (text === '' ? quoteKey(key).first : quoteKey(key).next) + write(member, depth + 1)
  }
  return text === '' ? '{}' : text + '}'
}

/** From here on sorting in place takes longer than the engine's own way, which makes lists of its own. */
const FEW_KEYS = 24

/** By UTF-16 code units, in place. Records are small and mostly in order already. */
function sorted(keys: string[]): string[] {
  if (keys.length > FEW_KEYS) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!
    let at = i
    for (; at > 0 && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!
    keys[at] = key
  }
  return keys
}

/** Short texts without anything to escape are quoted by hand: calling the engine's writer takes longer than looking at them. */
const SHORT_TEXT = 40

function quote(text: string): string {
  if (text.length > SHORT_TEXT) return JSON.stringify(text)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code === 0x22 || code === 0x5c || code >= 0xd800) return JSON.stringify(text)
  }
  return `"${text}"`
}

/** A key with what stands around it, at the beginning of a record and further on. */
interface QuotedKey {
  readonly first: string
  readonly next: string
}

/** The same few keys come again and again; the cache is bounded, because guests may bring their own. */
const quotedKeys = new Map<string, QuotedKey>()
const QUOTED_MAX = 2_000

function quoteKey(key: string): QuotedKey {
  let quoted = quotedKeys.get(key)
  if (quoted === undefined) {
    const text = JSON.stringify(key)
    // Read back, each is one piece; as they were put together they would be three in every text that has them.
    quoted = JSON.parse(JSON.stringify({ first: `{${text}:`, next: `,${text}:` })) as QuotedKey
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
