import { newDataKey, rewrap } from './data-keys.ts'
import type { SealedStore, WrappedKey } from './data-keys.ts'
import { readRing } from './key-ring.ts'
import type { Encryption } from './key-ring.ts'
import { RowCipher } from './row-cipher.ts'

/** Where a store keeps its wrapped data keys, beside the rows. */
export interface KeyShelf {
  read(): Promise<readonly WrappedKey[]>
  /** Inserts, or replaces by id, all or none. */
  write(keys: readonly WrappedKey[]): Promise<void>
}

interface OpenCipherOptions {
  readonly encryption: Encryption
  readonly store: SealedStore
  readonly shelf: KeyShelf
  readonly now: number
}

/** Opens the cipher of a store: fetches the host's keys, opens the data keys, and makes one under the current key where there is none. */
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
  /** The id of the host's key that everything is under now. */
  readonly hostKey: string
  /** Data keys that were wrapped anew. */
  readonly rewrapped: number
  /** The data key that new rows are sealed with. */
  readonly dataKey: string
}

/** Brings every data key under the host's current key, and begins a new one for new rows. No row is written; afterwards the older keys of the host can go. */
export async function rekey({ encryption, store, shelf, now }: OpenCipherOptions): Promise<RekeyReport> {
  const ring = await readRing(encryption)
  const changed = rewrap(ring, store, await shelf.read())
  const fresh = newDataKey(ring, store, now)
  await shelf.write([...changed, fresh])
  return { hostKey: ring.current, rewrapped: changed.length, dataKey: fresh.id }
}
