import type { Json, Label } from '../core/index.ts'

/** A change that a run made to memory or database, for its result. */
export type MemoryChange = {
  /** The stream, or collection and key as `collection/key`. */
  readonly key: string
  readonly op: 'set' | 'append' | 'delete'
  /** What was written; nothing says what was there before, because no write reads first. */
  readonly after?: Json
  /** It would have been made: the run was only to try. */
  readonly dryRun?: true
}

/** What a value is stored with. */
export interface WriteOptions {
  /** Gone after so long. It stays until it is deleted, or trimmed, when absent. */
  readonly ttlMs?: number | undefined
  /** What an embedding model made of the value: then it can be found by likeness. */
  readonly vector?: readonly number[] | Float32Array | undefined
}

export interface WriteIfOptions extends WriteOptions {
  readonly expected: Json
}

/** What may stay. What is over any of the limits goes, oldest first; what is written again counts as new. */
export interface TrimLimits {
  /** Only in this collection, or stream. */
  readonly collection?: string | undefined
  readonly olderThanMs?: number | undefined
  readonly maxCount?: number | undefined
  /** Characters of the values as they are stored. */
  readonly maxBytes?: number | undefined
}

/** What went, what had expired included. */
export interface Trimmed {
  readonly count: number
  readonly bytes: number
}

/** How much there is in a collection, or stream. What has expired counts until it is trimmed. */
export interface CollectionSize {
  readonly collection: string
  readonly count: number
  readonly bytes: number
}

export interface MemoryReadOptions {
  /** Only the newest so many; they still come oldest first. */
  readonly limit?: number | undefined
}

export interface MemorySearchOptions {
  readonly limit?: number | undefined
  /** Only in this stream. */
  readonly streamKey?: string | undefined
  /** Finds what is like this, too; with an empty query, only that. */
  readonly vector?: readonly number[] | Float32Array | undefined
}

/** Short-term memory: streams of entries that live as long as a run. What goes in and what comes out are copies. */
export interface MemoryClient {
  /** What everything in it is to be taken as made from, beside what is stored with each value: `untrusted:unknown` for a store that others write. */
  readonly labels?: readonly Label[] | undefined
  append(streamKey: string, entry: Json, options?: WriteOptions): Promise<void>
  /** The entries of a stream, oldest first; none for a stream that does not exist. */
  read(streamKey: string, options?: MemoryReadOptions): Promise<readonly Json[]>
  /** Entries that hold words of the query, or are like the vector, best first. */
  search?(query: string, options?: MemorySearchOptions): Promise<readonly Json[]>
  clear?(streamKey: string): Promise<void>
  streams?(): Promise<readonly CollectionSize[]>
  trim?(limits?: TrimLimits): Promise<Trimmed>
  /** Waits for what was asked before, then lets go of file or connection. Closing twice is closing once. */
  close?(): Promise<void>
}

/** One stored value with its key. */
export type DatabaseRecord = { readonly key: string; readonly value: Json }

type DatabaseHit = DatabaseRecord & {
  readonly collection: string
  /** More is better; to be compared only within one answer. */
  readonly score: number
  /** The cosine between the vectors, when one was asked for: 1 for the same direction. */
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

/** Fields (dotted paths) and what they must be: a value, or comparisons. All must hold. */
export type DatabaseQuery = { readonly [field: string]: Json | Comparison }

export interface DatabaseQueryOptions {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** A field; by key when absent. */
  readonly orderBy?: string | undefined
  readonly descending?: boolean | undefined
}

/** What is looked for. With a text and a vector the two rankings are joined. */
export interface DatabaseSearchOptions {
  /** 10 when absent. */
  readonly topK?: number | undefined
  /** Only in this collection. */
  readonly collection?: string | undefined
  /** Only what fits. */
  readonly query?: DatabaseQuery | undefined
  /** Finds what is like this, too; with an empty text, only that. */
  readonly vector?: readonly number[] | Float32Array | undefined
  /** Leaves out what is less like the vector; only for a search by vector alone. */
  readonly minSimilarity?: number | undefined
}

/** A value on its way in. */
export type DatabaseEntry = DatabaseRecord & WriteOptions

/** Long-term memory: values by collection and key. What goes in and what comes out are copies. */
export interface DatabaseClient {
  /** What everything in it is to be taken as made from, beside what is stored with each value: `untrusted:unknown` for a store that others write. */
  readonly labels?: readonly Label[] | undefined
  write(collection: string, key: string, value: Json, options?: WriteOptions): Promise<void>
  /** Writes where the value is still the expected one, `null` where there is none; false where it is another, and nothing was written. */
  writeIf?(collection: string, key: string, value: Json, options: WriteIfOptions): Promise<boolean>
  /** Many at once: all or none. */
  writeMany?(collection: string, entries: readonly DatabaseEntry[]): Promise<void>
  /** The value, or `null`. */
  read(collection: string, key: string): Promise<Json>
  query(collection: string, query: DatabaseQuery, options?: DatabaseQueryOptions): Promise<readonly DatabaseRecord[]>
  /** Records of all collections that hold words of the text, or are like the vector, best first. */
  search?(text: string, options?: DatabaseSearchOptions): Promise<readonly DatabaseHit[]>
  /** Whether there was something to delete. */
  delete?(collection: string, key: string): Promise<boolean>
  /** Deletes a collection and says how many records it had. */
  clear?(collection: string): Promise<number>
  collections?(): Promise<readonly CollectionSize[]>
  trim?(limits?: TrimLimits): Promise<Trimmed>
  /** Waits for what was asked before, then lets go of file or connection. Closing twice is closing once. */
  close?(): Promise<void>
}
