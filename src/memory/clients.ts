import type { Json, Label } from '../core/index.ts'

/** A change that a run made to memory or database, for its result. */
export type MemoryChange = {
  /** The stream, or collection and key as `collection/key`. */
  readonly key: string
  readonly op: 'set' | 'append' | 'delete'
  readonly before?: Json
  readonly after?: Json
}

export interface MemoryReadOptions {
  /** Only the newest so many; they still come oldest first. */
  readonly limit?: number | undefined
}

export interface MemorySearchOptions {
  readonly limit?: number | undefined
  /** Only in this stream. */
  readonly streamKey?: string | undefined
}

/** Short-term memory: streams of entries that live as long as a run. What goes in and what comes out are copies. */
export interface MemoryClient {
  /** What everything in it is to be taken as made from, beside what is stored with each value: `untrusted:unknown` for a store that others write. */
  readonly labels?: readonly Label[] | undefined
  append(streamKey: string, entry: Json): Promise<void>
  /** The entries of a stream, oldest first; none for a stream that nobody wrote. */
  read(streamKey: string, options?: MemoryReadOptions): Promise<readonly Json[]>
  /** Entries that hold words of the query, best first. */
  search?(query: string, options?: MemorySearchOptions): Promise<readonly Json[]>
  clear?(streamKey: string): Promise<void>
}

/** One stored value with its key. */
export type DatabaseRecord = { readonly key: string; readonly value: Json }

export type DatabaseHit = DatabaseRecord & { readonly collection: string; readonly score: number }

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

/** Long-term memory: values by collection and key. What goes in and what comes out are copies. */
export interface DatabaseClient {
  /** What everything in it is to be taken as made from, beside what is stored with each value: `untrusted:unknown` for a store that others write. */
  readonly labels?: readonly Label[] | undefined
  write(collection: string, key: string, value: Json): Promise<void>
  /** The value, or `null`. */
  read(collection: string, key: string): Promise<Json>
  query(collection: string, query: DatabaseQuery, options?: DatabaseQueryOptions): Promise<readonly DatabaseRecord[]>
  /** Records of all collections that hold words of the text, best first. */
  search?(text: string, options?: { readonly topK?: number | undefined }): Promise<readonly DatabaseHit[]>
  /** Whether there was something to delete. */
  delete?(collection: string, key: string): Promise<boolean>
}
