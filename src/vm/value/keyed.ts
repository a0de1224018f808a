import { burn, charge } from '../meter/live.ts'
import type { Guest } from './guest.ts'
import { touchKey } from './text/text.ts'

/** V8 hashes longer texts by their length only: a table of many would compare each with all others (hash flooding). */
export const LONG_KEY = 16_000

const HOLDER_BYTES = 96

/** A stand-in for a long text as key of a host map, compared by identity. */
class LongText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Key = Guest | LongText

/** A digest of a whole text. Texts with equal digests are then compared, which is charged for. */
function digestOf(text: string): string {
  touchKey(text)
  burn(text.length * 3)
  let a = 0x811c9dc5
  let b = 0x9e3779b9
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 15)
  }
  return `${a},${b},${text.length}`
}

/** The long texts among the keys of one table. */
class LongTexts {
  readonly #all = new Map<string, LongText[]>()

  find(text: string): LongText | undefined {
    return this.#all.get(digestOf(text))?.find((known) => isSame(known.text, text))
  }

  add(text: string): LongText {
    const digest = digestOf(text)
    const known = this.#all.get(digest)
    const found = known?.find((one) => isSame(one.text, text))
    if (found !== undefined) return found
    charge(HOLDER_BYTES)
    const made = new LongText(text)
    if (known === undefined) this.#all.set(digest, [made])
    else known.push(made)
    return made
  }

  remove(held: LongText): void {
    const digest = digestOf(held.text)
    // By identity: comparing texts of equal digest would not be charged for here.
    const left = this.#all.get(digest)!.filter((one) => one !== held)
    if (left.length === 0) this.#all.delete(digest)
    else this.#all.set(digest, left)
  }

  clear(): void {
    this.#all.clear()
  }
}

function isSame(a: string, b: string): boolean {
  burn(a.length >> 2)
  return a === b
}

function isLong(key: Guest): key is string {
  return typeof key === 'string' && key.length > LONG_KEY
}

function keyFrom(key: Key): Guest {
  return key instanceof LongText ? key.text : key
}

function* keysFrom(keys: Iterable<Key>): MapIterator<Guest> {
  for (const key of keys) yield keyFrom(key)
}

/** A map whose keys may be long texts. A lookup is charged by `touchKey`, and for a long key here. */
export class KeyedMap extends Map<Guest, Guest> {
  #long: LongTexts | undefined

  override get(key: Guest): Guest {
    return super.get(isLong(key) ? this.#find(key) : key)
  }

  override has(key: Guest): boolean {
    return super.has(isLong(key) ? this.#find(key) : key)
  }

  override set(key: Guest, value: Guest): this {
    return super.set(isLong(key) ? ((this.#long ??= new LongTexts()).add(key) as never) : key, value)
  }

  override delete(key: Guest): boolean {
    if (!isLong(key)) return super.delete(key)
    const held = this.#long?.find(key)
    if (held === undefined) return false
    this.#long!.remove(held)
    return super.delete(held as never)
  }

  override clear(): void {
    super.clear()
    this.#long?.clear()
  }

  /** For copying only: use `entries` for live iteration, where long keys may be added. */
  override keys(): MapIterator<Guest> {
    return this.#long === undefined ? super.keys() : keysFrom(super.keys())
  }

  override *entries(): MapIterator<[Guest, Guest]> {
    for (const [key, value] of super.entries()) yield [keyFrom(key), value]
  }

  /** For copying only, like `keys`. */
  override [Symbol.iterator](): MapIterator<[Guest, Guest]> {
    return this.#long === undefined ? super[Symbol.iterator]() : this.entries()
  }

  /** The stand-in of a long text; a value that is never a key for an absent one. */
  #find(key: string): never {
    return (this.#long?.find(key) ?? NO_KEY) as never
  }
}

/** A set that may hold long texts. */
export class KeyedSet extends Set<Guest> {
  #long: LongTexts | undefined

  override has(value: Guest): boolean {
    return super.has(isLong(value) ? this.#find(value) : value)
  }

  override add(value: Guest): this {
    return super.add(isLong(value) ? ((this.#long ??= new LongTexts()).add(value) as never) : value)
  }

  override delete(value: Guest): boolean {
    if (!isLong(value)) return super.delete(value)
    const held = this.#long?.find(value)
    if (held === undefined) return false
    this.#long!.remove(held)
    return super.delete(held as never)
  }

  override clear(): void {
    super.clear()
    this.#long?.clear()
  }

  override *values(): SetIterator<Guest> {
    for (const value of super.values()) yield keyFrom(value)
  }

  override keys(): SetIterator<Guest> {
    return this.values()
  }

  /** For copying only, like `keys` of a map. */
  override [Symbol.iterator](): SetIterator<Guest> {
    return this.#long === undefined ? super[Symbol.iterator]() : this.values()
  }

  #find(value: string): never {
    return (this.#long?.find(value) ?? NO_KEY) as never
  }
}

/** Never a key of any table. */
const NO_KEY: unknown = Object.freeze({})
