import type { CollectionSize, Trimmed } from '../../../memory/index.ts'
import type { SqliteFile } from '../sqlite-file.ts'

/** The numbers of spaces and collections. They never change, so they are cached permanently, unless their transaction is rolled back. */
export class Places {
  readonly #file: SqliteFile
  readonly #spaces = new Map<string, number>()
  readonly #places = new Map<string, number>()
  readonly #names = new Map<number, string>()
  readonly #grown = { spaces: new Map<number, Trimmed>(), places: new Map<number, Trimmed>() }

  constructor(file: SqliteFile) {
    this.#file = file
  }

  /** The number of a space; `undefined` if it was never used. */
  space(name: string): number | undefined {
    const known = this.#spaces.get(name)
    if (known !== undefined) return known
    const id = this.#file.get('SELECT id FROM spaces WHERE name = ?', JSON.stringify(name))?.['id'] as
      | number
      | undefined
    if (id !== undefined) this.#spaces.set(name, id)
    return id
  }

  /** The number of a collection; `undefined` if it was never used. */
  place(space: string, collection: string): number | undefined {
    const owner = this.space(space)
    if (owner === undefined) return undefined
    const name = JSON.stringify(collection)
    const known = this.#places.get(`${owner} ${name}`)
    if (known !== undefined) return known
    const row = this.#file.get('SELECT id FROM places WHERE space = ? AND collection = ?', owner, name)
    const id = row?.['id'] as number | undefined
    if (id !== undefined) this.#places.set(`${owner} ${name}`, id)
    return id
  }

  /** Both numbers, created if necessary. */
  need(space: string, collection: string): { readonly space: number; readonly place: number } {
    if (this.space(space) === undefined)
      this.#file.run('INSERT INTO spaces (name, count, bytes) VALUES (?, 0, 0)', JSON.stringify(space))
    const owner = this.space(space)!
    if (this.place(space, collection) === undefined)
      this.#file.run(
        'INSERT INTO places (space, collection, count, bytes) VALUES (?, ?, 0, 0)',
        owner,
        JSON.stringify(collection),
      )
    return { space: owner, place: this.place(space, collection)! }
  }

  nameOf(place: number): string {
    const known = this.#names.get(place)
    if (known !== undefined) return known
    const row = this.#file.get('SELECT collection FROM places WHERE id = ?', place)
    const name = JSON.parse(row?.['collection'] as string) as string
    this.#names.set(place, name)
    return name
  }

  /** Counted in memory until `count` writes it: many records are one update. */
  grow(space: number, place: number, count: number, bytes: number): void {
    for (const [table, id] of [
      ['spaces', space],
      ['places', place],
    ] as const) {
      const grown = this.#grown[table].get(id) ?? { count: 0, bytes: 0 }
      this.#grown[table].set(id, { count: grown.count + count, bytes: grown.bytes + bytes })
    }
  }

  count(): void {
    for (const table of ['spaces', 'places'] as const) {
      const sql = `UPDATE ${table} SET count = count + ?, bytes = bytes + ? WHERE id = ?`
      for (const [id, { count, bytes }] of this.#grown[table]) this.#file.run(sql, count, bytes, id)
      this.#grown[table].clear()
    }
  }

  /** The size of a space, or of one of its places. */
  size(space: number, place: number | undefined): Trimmed {
    const row =
      place === undefined
        ? this.#file.get('SELECT count, bytes FROM spaces WHERE id = ?', space)
        : this.#file.get('SELECT count, bytes FROM places WHERE id = ?', place)
    return { count: Number(row?.['count'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) }
  }

  sizes(space: string): readonly CollectionSize[] {
    const owner = this.space(space)
    if (owner === undefined) return []
    const rows = this.#file.all('SELECT collection, count, bytes FROM places WHERE space = ? AND count > 0', owner)
    const sizes = rows.map((row) => ({
      collection: JSON.parse(row['collection'] as string) as string,
      count: Number(row['count']),
      bytes: Number(row['bytes']),
    }))
    return sizes.sort((a, b) => (a.collection < b.collection ? -1 : 1))
  }

  /** The share of all records that are in this place. */
  share(space: number, place: number | undefined): number {
    const whole = this.#file.get('SELECT total(count) AS count FROM spaces')?.['count']
    return this.size(space, place).count / Math.max(1, Number(whole))
  }

  /** Discards numbers that were created in a rolled-back transaction. */
  forget(): void {
    this.#spaces.clear()
    this.#places.clear()
    this.#names.clear()
    this.#grown.spaces.clear()
    this.#grown.places.clear()
  }
}
