import { canonical, sha256 } from '../../core/index.ts'
import { ENTRY_VERSION, GENESIS, dataText, restoreEntry } from '../entry.ts'
import type { Entry, Head } from '../entry.ts'

/**
 * Entries in compact form, because a process may hold thousands of waiting runs: data is kept as text, which is small and isolated from later
 * mutations, and an entry is five slots of one array (type, key, milliseconds since the run began, hash, content) instead of an object. What can be
 * derived is not stored: the number is the index, `prev` is the hash before, and the data hash is computed on reading.
 */
type Slot = string | number | undefined | Odd
const WIDTH = 5
const TYPE = 0
const KEY = 1
const AFTER = 2
const HASH = 3
const CONTENT = 4

/** Salt and data as one string, for most entries; or the members of an entry of another shape. */
type Content = string | Odd

interface Odd {
  readonly v: number
  /** The data hash, once salt and data are erased. */
  readonly salted: string
  /** The length of the salt; `undefined` once erased. */
  readonly salt: number | undefined
}

/** The salt length of all entries of this build. */
const SALT_LENGTH = 32

function contentOf(entry: Entry): Content {
  const { v, salt } = entry
  if (salt === null) return { v, salted: entry.dataHash, salt: undefined }
  const salted = salt + dataText(entry)
  return v === ENTRY_VERSION && salt.length === SALT_LENGTH ? salted : { v, salted, salt: salt.length }
}

function asOdd(content: Content): Odd {
  return typeof content === 'string' ? { v: ENTRY_VERSION, salted: content, salt: SALT_LENGTH } : content
}

function dataHashOf(salted: string, salt: number): string {
  return sha256(salted.slice(0, salt) + canonical(JSON.parse(salted.slice(salt))))
}

/** Keys repeat in every run, so they are interned; bounded, because minds may choose their own. */
const keys = new Map<string, string>()
const KEYS_MAX = 2_000

function sharedKey(key: string | undefined): string | undefined {
  if (key === undefined || key.length > 64) return key
  const known = keys.get(key)
  if (known === undefined && keys.size < KEYS_MAX) keys.set(key, key)
  return known ?? key
}

/** The entries of one run in memory. */
export class StoredEntries {
  readonly #slots: Slot[] = []
  #began = 0

  get length(): number {
    return this.#slots.length / WIDTH
  }

  push(entry: Entry): void {
    if (this.#slots.length === 0) this.#began = entry.at
    this.#slots.push(entry.type, sharedKey(entry.key), entry.at - this.#began, entry.hash, contentOf(entry))
  }

  hashAt(seq: number): string | undefined {
    return this.#slots[(seq - 1) * WIDTH + HASH] as string | undefined
  }

  headAt(seq: number): Head | undefined {
    const hash = this.hashAt(seq)
    return hash === undefined ? undefined : { seq, hash, at: this.#at(seq) }
  }

  /** Restores the entries from an index on. */
  *restored(run: string, from: number): Generator<Entry> {
    for (let seq = Math.max(from, 1); seq <= this.length; seq++) {
      const first = (seq - 1) * WIDTH
      const { v, salted, salt } = asOdd(this.#slots[first + CONTENT] as Content)
      const place = {
        v,
        run,
        seq,
        at: this.#at(seq),
        type: this.#slots[first + TYPE] as Entry['type'],
        key: this.#slots[first + KEY] as string | undefined,
        prev: this.hashAt(seq - 1) ?? GENESIS.hash,
        hash: this.hashAt(seq)!,
      }
      yield salt === undefined
        ? restoreEntry({ ...place, dataHash: salted, salt: null }, null)
        : restoreEntry(
            { ...place, dataHash: dataHashOf(salted, salt), salt: salted.slice(0, salt) },
            salted.slice(salt),
          )
    }
  }

  /** Replaces salt and data of every entry with the data hash. */
  erase(): void {
    for (let at = CONTENT; at < this.#slots.length; at += WIDTH) {
      const { v, salted, salt } = asOdd(this.#slots[at] as Content)
      if (salt !== undefined) this.#slots[at] = { v, salted: dataHashOf(salted, salt), salt: undefined }
    }
  }

  #at(seq: number): number {
    return this.#began + (this.#slots[(seq - 1) * WIDTH + AFTER] as number)
  }
}
