import { systemClock } from '../core/index.ts'
import { keysRequired, notSealed, openCipher } from './encryption/index.ts'
import type { Encryption, KeyShelf, RowCipher, SealedStore } from './encryption/index.ts'

/** The text of a row: plain or encrypted. */
export interface KeptText {
  readonly plain: string | null
  readonly sealed: Uint8Array | null
}

/** The encryption of a store's texts, or its absence. */
export interface Sealing {
  readonly isSealing: boolean
  keep(place: string, text: string): KeptText
  /** The text of a row; refuses a plain row in an encrypted store. */
  reveal(place: string, kept: KeptText): Promise<string | null>
  keepBytes(place: string, bytes: Uint8Array): Uint8Array
  revealBytes(place: string, bytes: Uint8Array): Promise<Uint8Array>
}

const OPEN: Sealing = {
  isSealing: false,
  keep: (_, text) => ({ plain: text, sealed: null }),
  reveal: async (_, { plain }) => plain,
  keepBytes: (_, bytes) => bytes,
  revealBytes: async (_, bytes) => bytes,
}

interface SealingOptions {
  readonly encryption: Encryption | undefined
  readonly store: SealedStore
  readonly shelf: KeyShelf
  /** Whether the store has plain content. */
  readonly hasPlain: () => Promise<boolean>
  /** Opens an encrypted store without its keys, to verify it: its contents read as erased, and nothing can be added. */
  readonly withoutKeys?: boolean | undefined
}

/**
 * Opens the keys of a store, or finds that none are needed. An encrypted store cannot be opened without keys, and a store that was created without
 * encryption cannot be encrypted later.
 */
export async function openSealing(options: SealingOptions): Promise<Sealing> {
  const { encryption, store, shelf, hasPlain, withoutKeys = false } = options
  const keys = await shelf.read()
  if (encryption === undefined) {
    if (keys.length === 0) return OPEN
    const required = keysRequired(store.name, [...new Set(keys.map((key) => key.hostKey))])
    if (withoutKeys) return blind(required)
    throw required
  }
  // The existing content would stay plain.
  if (keys.length === 0 && (await hasPlain())) throw notSealed(store.name)
  const cipher = await openCipher({ encryption, store, shelf, now: systemClock.now() })
  return withCipher(cipher, shelf)
}

/** The encryption of a store that was opened without its keys. */
function blind(refusal: Error): Sealing {
  const refuse = (): never => {
    throw refusal
  }
  return {
    isSealing: true,
    keep: refuse,
    keepBytes: refuse,
    reveal: async () => null,
    revealBytes: async () => refuse(),
  }
}

function withCipher(cipher: RowCipher, shelf: KeyShelf): Sealing {
  // Another process may have created a new data key since.
  const learn = async (sealed: Uint8Array): Promise<void> => {
    if (!cipher.knows(sealed)) cipher.learn(await shelf.read())
  }
  return {
    isSealing: true,
    keepBytes: (place, bytes) => cipher.seal(place, bytes),
    revealBytes: async (place, bytes) => {
      await learn(bytes)
      return cipher.open(place, bytes)
    },
    keep: (place, text) => ({ plain: null, sealed: cipher.seal(place, text) }),
    reveal: async (place, { plain, sealed }) => {
      if (sealed === null) {
        if (plain !== null) throw notSealed(place.replaceAll('\0', '/'))
        return null
      }
      await learn(sealed)
      return cipher.openText(place, sealed)
    },
  }
}
