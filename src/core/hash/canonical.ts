import { MandateError } from '../errors.ts'

/** Deep enough for any real document, shallow enough for the stack of every engine. */
const DEPTH_MAX = 256

/**
 * The canonical JSON of a value: sorted keys, no spaces, numbers as ECMAScript prints them. Equal values give equal bytes, so it is the text that
 * is hashed and compared; what people, models and stores get keeps the order of its keys. Members whose value is `undefined` are left out;
 * everything else that JSON cannot represent throws.
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
      // Negative zero is written as zero.
      if (Number.isFinite(value)) return value === 0 ? '0' : String(value)
      throw notJson(`the number ${value}`)
    case 'object':
      return value === null ? 'null' : writeObject(value, depth)
    default:
      throw notJson(`a ${typeof value}`)
  }
}

/** The texts of large frozen values, serialized before the entry that contains them. */
let written: WeakMap<object, string> | undefined
/** The depth of large values in entries: the outcome of an effect, and its value. */
const WRITTEN_DEPTH = 3

/** Serializes a large value in advance, so that hashing the entry that contains it takes less time. It must be deeply frozen. */
export function writeAhead(value: object): void {
  ;(written ??= new WeakMap()).set(value, write(value, WRITTEN_DEPTH))
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

/** Whether iterating a record gives its keys in canonical order, and none that it inherits. */
function isOrdered(record: object): boolean {
  let last = ''
  for (const key in record) {
    // V8 optimizes this call inside `for … in`, but not `Object.hasOwn`.
    // oxlint-disable-next-line prefer-object-has-own
    if (key < last || !Object.prototype.hasOwnProperty.call(record, key)) return false
    last = key
  }
  return true
}

/** Iterates the record itself, because V8 then reads each member without a lookup, which a list of keys would need. */
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

/** From this many keys on, insertion sort takes longer than the built-in sort, which allocates. */
const FEW_KEYS = 24

/** Sorts by UTF-16 code units, in place. Records are small and mostly ordered already. */
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

/** Short texts without escapes are quoted directly: calling `JSON.stringify` takes longer than scanning them. */
const SHORT_TEXT = 40

function quote(text: string): string {
  if (text.length > SHORT_TEXT) return JSON.stringify(text)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code === 0x22 || code === 0x5c || code >= 0xd800) return JSON.stringify(text)
  }
  return `"${text}"`
}

/** A quoted key with its punctuation, at the beginning of a record and later in it. */
interface QuotedKey {
  readonly first: string
  readonly next: string
}

/** Keys repeat, so their quoted forms are cached; the cache is bounded, because guest programs may use arbitrary keys. */
const quotedKeys = new Map<string, QuotedKey>()
const QUOTED_MAX = 2_000

function quoteKey(key: string): QuotedKey {
  let quoted = quotedKeys.get(key)
  if (quoted === undefined) {
    const text = JSON.stringify(key)
    // Parsing flattens each string; as concatenated they would be ropes of three parts in every text that contains them.
    quoted = JSON.parse(JSON.stringify({ first: `{${text}:`, next: `,${text}:` })) as QuotedKey
    if (quotedKeys.size < QUOTED_MAX && key.length < 64) quotedKeys.set(key, quoted)
  }
  return quoted
}

/** Records only: a `Date` or a `Map` would be written as `{}`. The second prototype check allows records of another realm. */
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
