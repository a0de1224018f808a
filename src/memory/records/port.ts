import type { CollectionSize, DatabaseQueryOptions, Trimmed } from '../clients.ts'
import type { Condition } from '../query.ts'

/** A value as a store keeps it. */
export interface StoredRow {
  readonly collection: string
  readonly key: string
  /** JSON; sealed where the store encrypts. */
  readonly text: string
  /** What it is found by: its words in their order, with spaces between; absent when the port finds no words, or must not see them. */
  readonly words?: string | undefined
  /** Of length 1; absent when it has none, or the port must not see it. */
  readonly vector?: Float32Array | undefined
  /** When it was written. */
  readonly at: number
  /** From when on it is not there any more. */
  readonly expiresAt?: number | undefined
}

/** A row that was found, with how well it fits; more is better. */
export interface RankedRow {
  readonly row: StoredRow
  readonly score: number
}

export interface ScanFilter {
  /** Rows that expire at or before this moment are left out. */
  readonly now: number
  readonly collection?: string | undefined
  /** Only the newest so many; they still come oldest first. */
  readonly newest?: number | undefined
  /** A hint: rows that cannot fit may be left out, and need not be. Absent where the text is sealed. */
  readonly conditions?: readonly Condition[] | undefined
}

/** What is asked of a store that answers queries itself. */
export interface QueryAsked extends DatabaseQueryOptions {
  readonly now: number
  readonly collection: string
  /** All must hold, as `meets` sees it. */
  readonly conditions: readonly Condition[]
}

export interface WordsAsked {
  readonly now: number
  /** Each finds itself and, when it has three letters or more, longer words that begin with it. One of them is enough. */
  readonly words: readonly string[]
  readonly collection?: string | undefined
  readonly limit: number
}

export interface NearestAsked {
  readonly now: number
  /** Of length 1. Rows with another number of dimensions are not compared. */
  readonly vector: Float32Array
  readonly collection?: string | undefined
  readonly limit: number
}

/** What goes: rows that expire at or before `now`; those written before `before`; and the oldest beyond `maxCount` or `maxBytes` of text. */
export interface TrimAsked {
  readonly now: number
  readonly collection?: string | undefined
  readonly before?: number | undefined
  readonly maxCount?: number | undefined
  readonly maxBytes?: number | undefined
  /** An explicit trim, not one after a write: deleted data is also removed from indexes and logs, as far as the store can do that. */
  readonly isThorough?: boolean | undefined
}

/**
 * Everything memory and database need of a store. Spaces share nothing. What is the same in every store (copies, expiry, queries, words,
 * ranking, sealing) is done by `memoryOver` and `databaseOver`; names may be any text, lone surrogates and NUL included.
 */
export interface RecordPort {
  /** Stores rows, all or none. One with the same collection and key is replaced, and is then the newest. */
  put(space: string, rows: readonly StoredRow[]): Promise<void>
  /** Stores a row where the text is still the one that was read, or, with `undefined`, where there is none that has not expired; false when it is not so. */
  putIf(space: string, row: StoredRow, before: string | undefined): Promise<boolean>
  /** The row, also when it has expired. */
  get(space: string, collection: string, key: string): Promise<StoredRow | undefined>
  /** Whether there was an unexpired one. */
  delete(space: string, collection: string, key: string, now: number): Promise<boolean>
  /** How many there were. */
  clear(space: string, collection: string): Promise<number>
  /** Oldest first, in pages as large as the store likes. */
  scan(space: string, filter: ScanFilter): AsyncIterable<readonly StoredRow[]>
  /** Rows that meet the conditions, in the order that is asked for, as `Selection` has it, and only those. Absent where rows are as quickly handed over. */
  query?(space: string, asked: QueryAsked): Promise<readonly StoredRow[]>
  /** By name. */
  collections(space: string): Promise<readonly CollectionSize[]>
  trim(space: string, asked: TrimAsked): Promise<Trimmed>
  /** Rows that hold any of the words, best first. Absent where the store has no index of words: then all rows are scanned. */
  matchWords?(space: string, asked: WordsAsked): Promise<readonly RankedRow[]>
  /** The rows with the greatest cosine, as `score`. Absent where the store does not compare vectors: then all rows are scanned. */
  nearest?(space: string, asked: NearestAsked): Promise<readonly RankedRow[]>
  close(): Promise<void>
}

/** Seals what a store keeps. The place (space, collection and key) belongs to it: what was moved elsewhere does not open. */
export interface RecordSealer {
  seal(plain: string, place: readonly string[]): Promise<string> | string
  open(sealed: string, place: readonly string[]): Promise<string> | string
}
