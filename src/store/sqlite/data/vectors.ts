import { Best, dot } from '../../../memory/index.ts'
import type { NearestAsked } from '../../../memory/index.ts'
import type { Row } from '../sqlite-file.ts'
import type { DataFile } from './data-file.ts'
import type { Places } from './places.ts'
import { vectorOf } from './record-rows.ts'
import { VectorShelf } from './vector-shelf.ts'

interface Shelves {
  readonly byDimensions: Map<number, VectorShelf>
  /** Everything up to this id has been read. */
  last: number
  /** The version of the file by other connections, and the number of writes by this one, when it was read. */
  version: unknown
  writes: number
  /** The vectors exceed the cache: every search reads the file. */
  isTooLarge: boolean
}

/**
 * Finds vectors by comparing with every one. They are read once and cached; those added since are read before every search. Deletions by other
 * processes are noticed when a deleted record is found.
 */
export class Vectors {
  readonly #data: DataFile
  readonly #places: Places
  readonly #spaces = new Map<string, Shelves>()
  #writes = 0
  #handle = 0

  constructor(data: DataFile, places: Places) {
    this.#data = data
    this.#places = places
  }

  /** Called after a write: the next search must read again. */
  changed(): void {
    this.#writes += 1
  }

  /** Called for a deleted record. If the transaction is rolled back, `forget` restores it. */
  removed(space: string, id: number): void {
    for (const shelf of this.#spaces.get(space)?.byDimensions.values() ?? []) shelf.remove(id)
  }

  forget(): void {
    this.#spaces.clear()
  }

  /** Ids and cosine similarities, best first. */
  nearest(space: string, { vector, limit, now, collection }: NearestAsked): readonly { item: number; score: number }[] {
    const place = collection === undefined ? undefined : this.#places.place(space, collection)
    if (collection !== undefined && place === undefined) return []
    const shelves = this.#current(space)
    if (shelves === undefined) return []
    if (shelves.isTooLarge) return this.#fromFile(space, vector, limit, { now, place })
    const shelf = shelves.byDimensions.get(vector.length)
    if (shelf === undefined) return []
    const found = shelf.nearest(vector, limit, now, place).list()
    if (found.every(({ item }) => this.#isThere(item))) return found
    this.#sweep(space, shelves)
    return shelf.nearest(vector, limit, now, place).list()
  }

  #isThere(id: number): boolean {
    return this.#data.file.get('SELECT 1 FROM records WHERE id = ?', id) !== undefined
  }

  #current(space: string): Shelves | undefined {
    const { file } = this.#data
    if (this.#handle !== file.handle) this.forget()
    this.#handle = file.handle
    const owner = this.#places.space(space)
    if (owner === undefined) return undefined
    const version = this.#data.foreignVersion()
    let shelves = this.#spaces.get(space)
    if (shelves === undefined)
      this.#spaces.set(
        space,
        (shelves = { byDimensions: new Map(), last: 0, version: undefined, writes: -1, isTooLarge: false }),
      )
    const isCurrent = shelves.version === version && shelves.writes === this.#writes
    if (shelves.isTooLarge || isCurrent) return shelves
    this.#load(space, owner, shelves)
    shelves.version = version
    shelves.writes = this.#writes
    return shelves
  }

  #load(space: string, owner: number, shelves: Shelves): void {
    for (const row of this.#rows(owner, shelves.last)) {
      const vector = this.#vector(space, row)
      const shelf = shelves.byDimensions.get(vector.length) ?? new VectorShelf(vector.length)
      shelves.byDimensions.set(vector.length, shelf)
      shelves.last = row['id'] as number
      shelf.add(shelves.last, row['place'] as number, row['expires_at'] as number | null, vector)
      if (shelf.bytes <= this.#data.options.vectorBytes) continue
      shelves.byDimensions.clear()
      shelves.isTooLarge = true
      return
    }
  }

  #rows(owner: number, after: number): Iterable<Row> {
    const sql = `SELECT id, place, key, vector, expires_at FROM records INDEXED BY records_by_vector
      WHERE space = ? AND vector IS NOT NULL AND id > ? ORDER BY id`
    return this.#data.file.iterate(sql, owner, after)
  }

  #vector(space: string, row: Row): Float32Array {
    const collection = this.#places.nameOf(row['place'] as number)
    return vectorOf(row, { space, collection }, this.#data.cipher)
  }

  #sweep(space: string, shelves: Shelves): void {
    const sql = 'SELECT id FROM records INDEXED BY records_by_vector WHERE space = ? AND vector IS NOT NULL'
    const live = new Set(this.#data.file.all(sql, this.#places.space(space)!).map((row) => row['id'] as number))
    for (const shelf of shelves.byDimensions.values()) shelf.keep(live)
  }

  #fromFile(
    space: string,
    vector: Float32Array,
    limit: number,
    { now, place }: { readonly now: number; readonly place: number | undefined },
  ): readonly { item: number; score: number }[] {
    const best = new Best<number>(limit)
    for (const row of this.#rows(this.#places.space(space)!, 0)) {
      if (place !== undefined && row['place'] !== place) continue
      if (((row['expires_at'] as number | null) ?? Infinity) <= now) continue
      const other = this.#vector(space, row)
      if (other.length === vector.length) best.offer(row['id'] as number, dot(vector, other))
    }
    return best.list()
  }
}
