import { sha256 } from '../../core/index.ts'
import { ENTRY_VERSION, GENESIS, restoreEntry, saltedText } from '../entry.ts'
import type { Entry, Head } from '../entry.ts'

/**
 * Kept as text: small, and isolated from later mutations of the data. What follows from the rest is not kept at all, because a process may hold
 * thousands of runs that wait: the number is the place, the hash before is the neighbour's, and the hash of the data is taken again when it is read.
 * For the same reason an entry is so many places of one list instead of an object: type, key, milliseconds since the run began, hash, content.
 */
type Slot = string | number | undefined | Odd
const WIDTH = 5
const TYPE = 0
const KEY = 1
const AFTER = 2
const HASH = 3
const CONTENT = 4

/** Salt and data as one text, as in most entries; or the fields of an entry of another form. */
type Content = string | Odd

interface Odd {
  readonly v: number
  /** Once they are erased, the hash that stands for them. */
  readonly salted: string
  /** How much of it is salt; `undefined` once erased. */
  readonly salt: number | undefined
}

/** Every entry of this build has one of this length. */
const SALT_LENGTH = 32

function contentOf(entry: Entry): Content {
  const { v, salt } = entry
  if (salt === null) return { v, salted: entry.dataHash, salt: undefined }
  const salted = saltedText(entry)
  return v === ENTRY_VERSION && salt.length === SALT_LENGTH ? salted : { v, salted, salt: salt.length }
}

function asOdd(content: Content): Odd {
  return typeof content === 'string' ? { v: ENTRY_VERSION, salted: content, salt: SALT_LENGTH } : content
}

/** Keys come again in every run, so that one text of each is enough; bounded, because minds may bring their own. */
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

  /** As they were stored, from a place on. */
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
        : restoreEntry({ ...place, dataHash: sha256(salted), salt: salted.slice(0, salt) }, salted.slice(salt))
    }
  }

  /** Leaves of salt and data the hash that stands for them. */
  erase(): void {
    for (let at = CONTENT; at < this.#slots.length; at += WIDTH) {
      const { v, salted, salt } = asOdd(this.#slots[at] as Content)
      if (salt !== undefined) this.#slots[at] = { v, salted: sha256(salted), salt: undefined }
    }
  }

  #at(seq: number): number {
    return this.#began + (this.#slots[(seq - 1) * WIDTH + AFTER] as number)
  }
}
