import type { KeyObject } from 'node:crypto'
import { MandateError, systemRandom } from '../../core/index.ts'
import { unwrap } from './data-keys.ts'
import type { SealedStore, WrappedKey } from './data-keys.ts'
import { dataKeyOf, headerOf, openBytes, readHeader, rowKey, sealBytes } from './envelope.ts'
import { dataKeyUnknown, notSealed, sealBroken } from './key-errors.ts'
import type { KeyRing } from './key-ring.ts'

/** After this many rows the sealer takes a new salt, and so a new key: GCM is not trusted with more under one. */
const ROWS_MAX = 2 ** 32
/** Keys of rows that are kept at hand; every process that wrote has its own. */
const ROW_KEYS_MAX = 1_000

interface RowCipherOptions {
  readonly ring: KeyRing
  readonly store: SealedStore
  readonly keys: readonly WrappedKey[]
  /** Reads the data keys again, where that can be done at once: another process may have added one. */
  readonly reload?: (() => readonly WrappedKey[]) | undefined
}

/**
 * Seals and opens rows. A place (`placeOf('entries', run, seq)`) is bound to the row: one that was moved does not open.
 * Everything is synchronous; whatever has to be fetched was fetched before.
 */
export class RowCipher {
  readonly #options: RowCipherOptions
  readonly #dataKeys = new Map<string, { readonly key: Uint8Array; readonly createdAt: number }>()
  readonly #rowKeys = new Map<string, KeyObject>()
  #sealer: { readonly header: Buffer; readonly key: KeyObject; count: number } | undefined

  constructor(options: RowCipherOptions) {
    this.#options = options
    this.learn(options.keys)
  }

  /** Takes in data keys that were not known; rows are sealed with the newest. */
  learn(keys: readonly WrappedKey[]): void {
    const { ring, store } = this.#options
    for (const key of keys) {
      if (this.#dataKeys.has(key.id)) continue
      this.#dataKeys.set(key.id, { key: unwrap(ring, store, key), createdAt: key.createdAt })
      this.#sealer = undefined
    }
  }

  /** Whether the data key of a sealed row is at hand; where it is not, read the keys of the store again and `learn` them. */
  knows(sealed: Uint8Array): boolean {
    const header = readHeader(sealed)
    return header === undefined || this.#dataKeys.has(dataKeyOf(header))
  }

  seal(place: string, plain: string | Uint8Array): Uint8Array {
    if (this.#sealer === undefined || this.#sealer.count >= ROWS_MAX) this.#sealer = this.#newSealer()
    const sealed = sealBytes(this.#sealer, plain, this.#bound(place))
    this.#sealer.count += 1
    return sealed
  }

  /** The bytes that were sealed at this place. There is no other answer: anything else is an error. */
  open(place: string, sealed: Uint8Array): Buffer {
    const header = sealed instanceof Uint8Array ? readHeader(sealed) : undefined
    if (header === undefined) throw notSealed(place.replaceAll('\0', '/'))
    const plain = openBytes(this.#rowKey(header, place), sealed, this.#bound(place))
    if (plain === undefined) throw sealBroken(place)
    return plain
  }

  /** The same, for text. */
  openText(place: string, sealed: Uint8Array): string {
    return this.open(place, sealed).toString('utf8')
  }

  #bound(place: string): string {
    return `${this.#options.store.id}\0${place}`
  }

  #newSealer(): { readonly header: Buffer; readonly key: KeyObject; count: number } {
    const newest = [...this.#dataKeys].toSorted(
      ([a, one], [b, two]) => two.createdAt - one.createdAt || (a < b ? 1 : -1),
    )[0]
    if (newest === undefined)
      throw new MandateError('INTERNAL', `${this.#options.store.name} has no data key to seal with.`)
    const [dataKey, { key }] = newest
    const header = headerOf(dataKey, Buffer.from(systemRandom.hex(16), 'hex'))
    return { header, key: rowKey(key, header), count: 0 }
  }

  #rowKey(header: Buffer, place: string): KeyObject {
    const name = header.toString('latin1')
    const known = this.#rowKeys.get(name)
    if (known !== undefined) return known
    const dataKey = dataKeyOf(header)
    if (!this.#dataKeys.has(dataKey)) this.learn(this.#options.reload?.() ?? [])
    const found = this.#dataKeys.get(dataKey)
    if (found === undefined) throw dataKeyUnknown(dataKey, place)
    if (this.#rowKeys.size >= ROW_KEYS_MAX) this.#rowKeys.clear()
    const key = rowKey(found.key, header)
    this.#rowKeys.set(name, key)
    return key
  }
}

/** Names a place so that no two places have the same name: table, run, seq; or collection, key. */
export function placeOf(table: string, ...parts: readonly (string | number)[]): string {
  return [table, ...parts.map(partOf)].join('\0')
}

/** A part with a NUL in it could pretend to be two, and half a character is lost in bytes. JSON has neither; what looks like JSON is written as JSON, too. */
function partOf(part: string | number): string | number {
  if (typeof part === 'number') return part
  return part.includes('\0') || part.startsWith('"') || !part.isWellFormed() ? JSON.stringify(part) : part
}
