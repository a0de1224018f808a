import type { CollectionSize, DatabaseQueryOptions, Trimmed } from '../clients.ts'
import type { Condition } from '../query.ts'

/** A value as stored. */
export interface StoredRow {
  readonly collection: string
  readonly key: string
  /** JSON; encrypted if the store encrypts. */
  readonly text: string
  /** Its words in order, separated by spaces, for the full-text index; absent if the port has none, or must not get them in plain text. */
  readonly words?: string | undefined
  /** Normalized; absent if there is none, or the port must not get it in plain text. */
  readonly vector?: Float32Array | undefined
  /** When it was written. */
  readonly at: number
  /** When it expires: from then on it counts as deleted. */
  readonly expiresAt?: number | undefined
}

/** A found row with its score; higher is better. */
export interface RankedRow {
  readonly row: StoredRow
  readonly score: number
}

export interface ScanFilter {
  /** Rows that expire at or before this time are left out. */
  readonly now: number
  readonly collection?: string | undefined
  /** Only this many of the newest rows, still oldest first. */
  readonly newest?: number | undefined
  /** A hint: rows that do not match may be left out. Absent if texts are encrypted. */
  readonly conditions?: readonly Condition[] | undefined
}

/** A query for a store that answers queries itself. */
export interface QueryAsked extends DatabaseQueryOptions {
  readonly now: number
  readonly collection: string
  /** All must hold, as defined by `meets`. */
  readonly conditions: readonly Condition[]
}

export interface WordsAsked {
  readonly now: number
  /** Each matches itself and, with three letters or more, longer words that begin with it. One match is enough. */
  readonly words: readonly string[]
  readonly collection?: string | undefined
  readonly limit: number
}

export interface NearestAsked {
  readonly now: number
  /** Normalized. Rows with another number of dimensions are not compared. */
  readonly vector: Float32Array
  readonly collection?: string | undefined
  readonly limit: number
}

/** What to remove: rows that expire at or before `now`; those written before `before`; and the oldest ones beyond `maxCount` or `maxBytes` of text. */
export interface TrimAsked {
  readonly now: number
  readonly collection?: string | undefined
  readonly before?: number | undefined
  readonly maxCount?: number | undefined
  readonly maxBytes?: number | undefined
  /** Set for an explicit trim, not for one after a write: deleted data is also removed from indexes and logs, as far as the store can. */
  readonly isThorough?: boolean | undefined
}

/**
 * The store behind memory and database. Spaces share nothing. Everything that is equal in all stores (copies, expiry, queries, words, ranking,
 * encryption) is done by `memoryOver` and `databaseOver`; names may be any text, including lone surrogates and NUL.
 */
export interface RecordPort {
  /** Stores rows atomically. A row with the same collection and key is replaced, and is then the newest. */
  put(space: string, rows: readonly StoredRow[]): Promise<void>
  /** Compare and set: stores a row if the current text is `before`, or, with `undefined`, if there is no unexpired row. Returns false otherwise. */
  putIf(space: string, row: StoredRow, before: string | undefined): Promise<boolean>
  /** The row, even if it has expired. */
  get(space: string, collection: string, key: string): Promise<StoredRow | undefined>
  /** Returns whether there was an unexpired row. */
  delete(space: string, collection: string, key: string, now: number): Promise<boolean>
  /** Returns the number of deleted rows. */
  clear(space: string, collection: string): Promise<number>
  /** All rows, oldest first, in pages of any size. */
  scan(space: string, filter: ScanFilter): AsyncIterable<readonly StoredRow[]>
  /** The rows that meet the conditions, in the requested order, as `Selection` defines it. Absent if scanning is just as fast. */
  query?(space: string, asked: QueryAsked): Promise<readonly StoredRow[]>
  /** By name. */
  collections(space: string): Promise<readonly CollectionSize[]>
  trim(space: string, asked: TrimAsked): Promise<Trimmed>
  /** Rows that contain any of the words, best first. Absent if the store has no full-text index: then all rows are scanned. */
  matchWords?(space: string, asked: WordsAsked): Promise<readonly RankedRow[]>
  /** The rows with the greatest cosine similarity, as `score`. Absent if the store has no vector search: then all rows are scanned. */
  nearest?(space: string, asked: NearestAsked): Promise<readonly RankedRow[]>
  close(): Promise<void>
}

/** Encrypts rows of a store, bound to their place (space, collection and key): a moved row cannot be decrypted. */
export interface RecordSealer {
  seal(plain: string, place: readonly string[]): Promise<string> | string
  open(sealed: string, place: readonly string[]): Promise<string> | string
}
