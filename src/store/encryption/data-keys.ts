import { systemRandom } from '../../core/index.ts'
import { headerOf, openBytes, readHeader, rowKey, sealBytes } from './envelope.ts'
import { keyMissing, keyWrong } from './key-errors.ts'
import type { KeyRing } from './key-ring.ts'

/** A data key as the store keeps it: sealed under a key of the host. */
export interface WrappedKey {
  /** 16 hex digits; every row says which one it was sealed with. */
  readonly id: string
  /** The id of the host's key. */
  readonly hostKey: string
  readonly wrapped: Uint8Array
  readonly createdAt: number
}

/** The store that rows belong to: a row or a data key of one store does not open in another. */
export interface SealedStore {
  /** Bound to everything that is sealed; must never change for a store. */
  readonly id: string
  /** For messages: a path, a database. */
  readonly name: string
}

/** Makes a data key under the current key of the host. */
export function newDataKey(ring: KeyRing, store: SealedStore, now: number): WrappedKey {
  const id = systemRandom.hex(8)
  return wrap(ring, store, { id, createdAt: now }, Buffer.from(systemRandom.hex(32), 'hex'))
}

/** The data keys that are not yet under the current key of the host, wrapped anew. No row has to be written again. */
export function rewrap(ring: KeyRing, store: SealedStore, keys: readonly WrappedKey[]): WrappedKey[] {
  return keys
    .filter((key) => key.hostKey !== ring.current)
    .map((key) => wrap(ring, store, key, unwrap(ring, store, key)))
}

/** The data key itself; says which key of the host is missing or wrong. */
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
