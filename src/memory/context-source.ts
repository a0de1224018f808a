/**
 * A large text that is read in parts: a file, a blob of a store, a text in memory. The contract between sources (`fileContext` of `mandate/connect`)
 * and code that searches, slices and counts without loading all of it.
 */
export interface ContextSource {
  /** A short name for people and models, like a file name; its extension determines the format of records (`.csv`, `.jsonl`, `.json`). */
  readonly label: string
  /** Size in bytes. Called once, when the source is indexed. */
  size(): Promise<number>
  /** The bytes from `start` up to `end`, which may be fewer if the source has been truncated. */
  read(start: number, end: number): Promise<Uint8Array>
}
