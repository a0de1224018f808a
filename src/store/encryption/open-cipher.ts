import { newDataKey, rewrap } from './data-keys.ts'
import type { SealedStore, WrappedKey } from './data-keys.ts'
import { readRing } from './key-ring.ts'
import type { Encryption } from './key-ring.ts'
import { RowCipher } from './row-cipher.ts'

/** Where a store keeps its encrypted data keys. */
export interface KeyShelf {
  read(): Promise<readonly WrappedKey[]>
  /** Inserts or replaces by id, atomically. */
  write(keys: readonly WrappedKey[]): Promise<void>
}

interface OpenCipherOptions {
  readonly encryption: Encryption
  readonly store: SealedStore
  readonly shelf: KeyShelf
  readonly now: number
}

/** Opens the cipher of a store: fetches the host's keys, decrypts the data keys, and creates one under the current key if there is none. */
export async function openCipher({ encryption, store, shelf, now }: OpenCipherOptions): Promise<RowCipher> {
  const ring = await readRing(encryption)
  const keys = await shelf.read()
  const cipher = new RowCipher({ ring, store, keys })
  if (keys.some((key) => key.hostKey === ring.current)) return cipher
  const fresh = newDataKey(ring, store, now)
  await shelf.write([fresh])
  cipher.learn([fresh])
  return cipher
}

export interface RekeyReport {
  /** The id of the host's key that encrypts all data keys now. */
  readonly hostKey: string
  /** The number of data keys that were re-encrypted. */
  readonly rewrapped: number
  /** The data key that encrypts new rows. */
  readonly dataKey: string
}

/**
 * Re-encrypts every data key with the host's current key, and creates a new one for new rows. No row is rewritten; afterwards the older keys of the
 * host can be deleted.
 */
export async function rekey({ encryption, store, shelf, now }: OpenCipherOptions): Promise<RekeyReport> {
  const ring = await readRing(encryption)
  const changed = rewrap(ring, store, await shelf.read())
  const fresh = newDataKey(ring, store, now)
  await shelf.write([...changed, fresh])
  return { hostKey: ring.current, rewrapped: changed.length, dataKey: fresh.id }
}
