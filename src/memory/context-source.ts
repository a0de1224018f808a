/**
 * A large text that is read in parts: a file, a blob of a store, a text in memory. It is the contract between what can read (`fileContext` of
 * `mandate/connect`) and what searches, slices and counts without loading it whole.
 */
export interface ContextSource {
  /** A short name for people and models, as the name of a file; its ending tells the format of records (`.csv`, `.jsonl`, `.json`). */
  readonly label: string
  /** Size in bytes. Called once, when the source is indexed. */
  size(): Promise<number>
  /** The bytes from `start` up to `end`, which may be fewer where the source has become shorter. */
  read(start: number, end: number): Promise<Uint8Array>
}
