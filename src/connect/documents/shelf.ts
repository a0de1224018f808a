import { type Json, type JsonObject, isRecord, sha256 } from '../../core/index.ts'
import type { DatabaseClient, DatabaseEntry } from '../../memory/index.ts'

/** The place of a chunk: its key in the collection, and its lines in the document, from 1. */
export type Place = { readonly key: string; readonly line: number; readonly endLine: number }

/** The stored record of a document, besides its chunks. */
export type DocumentRecord = {
  readonly source: string
  readonly chunks: readonly Place[]
  /** Keys of chunks that are being written or deleted. After a crash they may exist or not. */
  readonly unsettled: readonly string[]
}

/** The stored record of a chunk. Places are in the record of the document, so that a chunk which only moved is not embedded again. */
export type StoredChunk = {
  readonly source: string
  readonly heading: readonly string[]
  readonly text: string
  readonly metadata?: JsonObject
}

/** Chunks and records of documents in two collections of a database. */
export class Shelf {
  readonly #database: DatabaseClient
  readonly #chunks: string
  readonly #records: string

  constructor(database: DatabaseClient, collection: string) {
    this.#database = database
    this.#chunks = collection
    this.#records = `${collection}.sources`
  }

  async record(source: string): Promise<DocumentRecord> {
    return recordIn(await this.#database.read(this.#records, keyOf(source))) ?? { source, chunks: [], unsettled: [] }
  }

  async keep(record: DocumentRecord): Promise<void> {
    const key = keyOf(record.source)
    if (record.chunks.length + record.unsettled.length === 0) await this.#database.delete!(this.#records, key)
    else await this.#database.write(this.#records, key, record)
  }

  /** The sources of all documents. */
  async sources(): Promise<readonly string[]> {
    const stored = await this.#database.query(this.#records, {})
    return stored.flatMap(({ value }) => recordIn(value)?.source ?? [])
  }

  async holds(key: string): Promise<boolean> {
    return (await this.#database.read(this.#chunks, key)) !== null
  }

  async add(entries: readonly DatabaseEntry[]): Promise<void> {
    if (this.#database.writeMany !== undefined) return this.#database.writeMany(this.#chunks, entries)
    for (const { key, value, vector } of entries) await this.#database.write(this.#chunks, key, value, { vector })
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#database.delete!(this.#chunks, key)
  }
}

function keyOf(source: string): string {
  return sha256(source).slice(0, 32)
}

function recordIn(value: Json): DocumentRecord | undefined {
  return isRecord(value) && Array.isArray(value.chunks) ? (value as unknown as DocumentRecord) : undefined
}
