import { systemRandom } from '../../core/index.ts'
import { headerOf, openBytes, readHeader, rowKey, sealBytes } from './envelope.ts'
import { keyMissing, keyWrong } from './key-errors.ts'
import type { KeyRing } from './key-ring.ts'

/** A data key as stored: encrypted with a key of the host. */
export interface WrappedKey {
  /** 16 hex digits; every encrypted row contains the id of its data key. */
  readonly id: string
  /** The id of the host's key. */
  readonly hostKey: string
  readonly wrapped: Uint8Array
  readonly createdAt: number
}

/** The store that rows belong to: a row or a data key of one store cannot be decrypted in another. */
export interface SealedStore {
  /** Authenticated with everything that is encrypted; must never change for a store. */
  readonly id: string
  /** For messages: a path or a database. */
  readonly name: string
}

/** Creates a data key encrypted with the current key of the host. */
export function newDataKey(ring: KeyRing, store: SealedStore, now: number): WrappedKey {
  const id = systemRandom.hex(8)
  return wrap(ring, store, { id, createdAt: now }, Buffer.from(systemRandom.hex(32), 'hex'))
}

/** Re-encrypts the data keys that are not yet under the current key of the host. No row has to be rewritten. */
export function rewrap(ring: KeyRing, store: SealedStore, keys: readonly WrappedKey[]): WrappedKey[] {
  return keys
    .filter((key) => key.hostKey !== ring.current)
    .map((key) => wrap(ring, store, key, unwrap(ring, store, key)))
}

/** Decrypts a data key. Throws an error that names the missing or wrong key of the host. */
export function unwrap(ring: KeyRing, store: SealedStore, key: WrappedKey): Uint8Array {
  const hostKey = Object.hasOwn(ring.keys, key.hostKey) ? ring.keys[key.hostKey] : undefined
  if (hostKey === undefined) throw keyMissing(key.hostKey, store.name)
  const header = readHeader(key.wrapped)
  const plain =
    header === undefined ? undefined : openBytes(rowKey(hostKey, header), key.wrapped, wrapPlace(store, key))
  if (plain === undefined) throw keyWrong(key.hostKey, store.name)
  return plain
}

function wrap(
  ring: KeyRing,
  store: SealedStore,
  { id, createdAt }: Pick<WrappedKey, 'id' | 'createdAt'>,
  dataKey: Uint8Array,
): WrappedKey {
  const key = { id, hostKey: ring.current, createdAt }
  const header = headerOf(id, Buffer.from(systemRandom.hex(16), 'hex'))
  const hostKey = ring.keys[ring.current]!
  return {
    ...key,
    wrapped: sealBytes({ key: rowKey(hostKey, header), header, count: 0 }, dataKey, wrapPlace(store, key)),
  }
}

function wrapPlace(store: SealedStore, { id, hostKey }: Pick<WrappedKey, 'id' | 'hostKey'>): string {
  return [store.id, 'data-key', hostKey, id].join('\0')
}
