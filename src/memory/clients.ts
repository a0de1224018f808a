import type { Json, Label } from '../core/index.ts'

/** A change that a run made to memory or database, as listed in its result. */
export type MemoryChange = {
  /** The stream, or collection and key as `collection/key`. */
  readonly key: string
  readonly op: 'set' | 'append' | 'delete'
  /** The written value. The previous one is unknown, because no write reads first. */
  readonly after?: Json
  /** The write was only simulated. */
  readonly dryRun?: true
}

/** Options of a stored value. */
export interface WriteOptions {
  /** The lifetime. By default the value stays until it is deleted or trimmed. */
  readonly ttlMs?: number | undefined
  /** An embedding of the value, by which it can be found by similarity. */
  readonly vector?: readonly number[] | Float32Array | undefined
}

export interface WriteIfOptions extends WriteOptions {
  readonly expected: Json
}

/** Limits of what is kept. What exceeds any of them is removed, oldest first; a rewritten value counts as new. */
export interface TrimLimits {
  /** Only in this collection or stream. */
  readonly collection?: string | undefined
  readonly olderThanMs?: number | undefined
  readonly maxCount?: number | undefined
  /** Characters of the stored values. */
  readonly maxBytes?: number | undefined
}

/** What was removed, including expired values. */
export interface Trimmed {
  readonly count: number
  readonly bytes: number
}

/** The size of a collection or stream. Expired values count until they are trimmed. */
export interface CollectionSize {
  readonly collection: string
  readonly count: number
  readonly bytes: number
}

export interface MemoryReadOptions {
  /** Only this many of the newest entries, still oldest first. */
  readonly limit?: number | undefined
}

export interface MemorySearchOptions {
  readonly limit?: number | undefined
  /** Only in this stream. */
  readonly streamKey?: string | undefined
  /** Also finds similar entries; with an empty query, only those. */
  readonly vector?: readonly number[] | Float32Array | undefined
}

/** Short-term memory: streams of entries. Values are copied in and out. */
export interface MemoryClient {
  /** Labels of everything in it, besides those stored with each value: `untrusted:unknown` for a store that others write. */
  readonly labels?: readonly Label[] | undefined
  /** Adds an entry to a stream. */
  append(streamKey: string, entry: Json, options?: WriteOptions): Promise<void>
  /** The entries of a stream, oldest first; empty for an unknown stream. */
  read(streamKey: string, options?: MemoryReadOptions): Promise<readonly Json[]>
  /** Entries that contain words of the query, or are similar to the vector, best first. */
  search?(query: string, options?: MemorySearchOptions): Promise<readonly Json[]>
  /** Removes all entries of a stream. */
  clear?(streamKey: string): Promise<void>
  /** Lists the streams with their sizes. */
  streams?(): Promise<readonly CollectionSize[]>
  /** Removes what exceeds the limits, oldest first. */
  trim?(limits?: TrimLimits): Promise<Trimmed>
  /** Waits for pending calls, then closes the file or connection. Idempotent. */
  close?(): Promise<void>
}

/** One stored value with its key. */
export type DatabaseRecord = { readonly key: string; readonly value: Json }

type DatabaseHit = DatabaseRecord & {
  readonly collection: string
  /** Higher is better; comparable only within one result. */
  readonly score: number
  /** The cosine similarity of the vectors, if one was given: 1 for the same direction. */
  readonly similarity?: number
}

/** Conditions on one field. */
export type Comparison = {
  readonly $eq?: Json
  readonly $ne?: Json
  readonly $gt?: Json
  readonly $gte?: Json
  readonly $lt?: Json
  readonly $lte?: Json
  readonly $in?: readonly Json[]
  readonly $contains?: Json
  readonly $exists?: boolean
}

/** Fields (dotted paths) with the required value or comparisons. All must hold. */
export type DatabaseQuery = { readonly [field: string]: Json | Comparison }

export interface DatabaseQueryOptions {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** A field; the key by default. */
  readonly orderBy?: string | undefined
  readonly descending?: boolean | undefined
}

/** Options of a search. With a text and a vector the two rankings are merged. */
export interface DatabaseSearchOptions {
  /** 10 by default. */
  readonly topK?: number | undefined
  /** Only in this collection. */
  readonly collection?: string | undefined
  /** Only records that match. */
  readonly query?: DatabaseQuery | undefined
  /** Also finds similar records; with an empty text, only those. */
  readonly vector?: readonly number[] | Float32Array | undefined
  /** The minimum similarity; only for a search by vector alone. */
  readonly minSimilarity?: number | undefined
}

/** A value to be stored. */
export type DatabaseEntry = DatabaseRecord & WriteOptions

/** Long-term memory: values by collection and key. Values are copied in and out. */
export interface DatabaseClient {
  /** Labels of everything in it, besides those stored with each value: `untrusted:unknown` for a store that others write. */
  readonly labels?: readonly Label[] | undefined
  /** Stores a value under its key, replacing an existing one. */
  write(collection: string, key: string, value: Json, options?: WriteOptions): Promise<void>
  /** Compare and set: writes if the current value is the expected one, `null` for none. Returns false if it is not, and writes nothing. */
  writeIf?(collection: string, key: string, value: Json, options: WriteIfOptions): Promise<boolean>
  /** Writes several values atomically. */
  writeMany?(collection: string, entries: readonly DatabaseEntry[]): Promise<void>
  /** The value, or `null`. */
  read(collection: string, key: string): Promise<Json>
  /** Finds records of a collection. */
  query(collection: string, query: DatabaseQuery, options?: DatabaseQueryOptions): Promise<readonly DatabaseRecord[]>
  /** Records of all collections that contain words of the text, or are similar to the vector, best first. */
  search?(text: string, options?: DatabaseSearchOptions): Promise<readonly DatabaseHit[]>
  /** Deletes a record. Returns whether it existed. */
  delete?(collection: string, key: string): Promise<boolean>
  /** Deletes a collection. Returns the number of its records. */
  clear?(collection: string): Promise<number>
  /** Lists the collections with their sizes. */
  collections?(): Promise<readonly CollectionSize[]>
  /** Removes what exceeds the limits, oldest first. */
  trim?(limits?: TrimLimits): Promise<Trimmed>
  /** Waits for pending calls, then closes the file or connection. Idempotent. */
  close?(): Promise<void>
}
