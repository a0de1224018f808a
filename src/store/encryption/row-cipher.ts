import type { KeyObject } from 'node:crypto'
import { MandateError, systemRandom } from '../../core/index.ts'
import { unwrap } from './data-keys.ts'
import type { SealedStore, WrappedKey } from './data-keys.ts'
import { dataKeyOf, headerOf, openBytes, readHeader, rowKey, sealBytes } from './envelope.ts'
import { dataKeyUnknown, notSealed, sealBroken } from './key-errors.ts'
import type { KeyRing } from './key-ring.ts'

/** The number of rows after which the sealer takes a new salt, and so a new key: the safe limit of GCM for one key. */
const ROWS_MAX = 2 ** 32
/** The cache size of row keys; every process that wrote rows has its own. */
const ROW_KEYS_MAX = 1_000

interface RowCipherOptions {
  readonly ring: KeyRing
  readonly store: SealedStore
  readonly keys: readonly WrappedKey[]
  /** Reads the data keys again, if that is possible synchronously: another process may have added one. */
  readonly reload?: (() => readonly WrappedKey[]) | undefined
}

/**
 * Encrypts and decrypts rows. A row is bound to its place (`placeOf('entries', run, seq)`), so that a moved one cannot be decrypted. Everything is
 * synchronous; whatever has to be fetched was fetched before.
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

  /** Adds data keys; rows are encrypted with the newest. */
  learn(keys: readonly WrappedKey[]): void {
    const { ring, store } = this.#options
    for (const key of keys) {
      if (this.#dataKeys.has(key.id)) continue
      this.#dataKeys.set(key.id, { key: unwrap(ring, store, key), createdAt: key.createdAt })
      this.#sealer = undefined
    }
  }

  /** Whether the data key of an encrypted row is known; if not, read the keys of the store again and `learn` them. */
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

  /** Decrypts a row. Throws if it was not encrypted at this place. */
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

/** The name of a place, unique for each place: table, run, seq; or collection, key. */
export function placeOf(table: string, ...parts: readonly (string | number)[]): string {
  return [table, ...parts.map(partOf)].join('\0')
}

/** A part with a NUL would be ambiguous, and an unpaired surrogate is lost in UTF-8: such parts are encoded as JSON, and so are parts that look like JSON. */
function partOf(part: string | number): string | number {
  if (typeof part === 'number') return part
  return part.includes('\0') || part.startsWith('"') || !part.isWellFormed() ? JSON.stringify(part) : part
}
