import { Selection, meets } from '../../../memory/index.ts'
import type {
  CollectionSize,
  NearestAsked,
  QueryAsked,
  RankedRow,
  ScanFilter,
  StoredRow,
  TrimAsked,
  Trimmed,
  WordsAsked,
} from '../../../memory/index.ts'
import type { Json } from '../../../core/index.ts'
import type { Row } from '../sqlite-file.ts'
import type { DataFile } from './data-file.ts'
import { Places } from './places.ts'
import type { RecordPage } from './protocol.ts'
import { COLUMNS, recordOf, sealedRecord } from './record-rows.ts'
import { Vectors } from './vectors.ts'
import { WordIndex } from './word-index.ts'

/** Limits of one page of a scan: rows that are read, and characters that are returned. */
const PAGE = { rows: 1_000, bytes: 4_000_000 }

/** Memory and database in SQL. Writing operations run inside a transaction that holds the write lock. */
export class Records {
  readonly #data: DataFile
  readonly #places: Places
  readonly #words: WordIndex
  readonly #vectors: Vectors
  /** Whether the index may still have words of deleted rows; unknown until the first check. */
  #hasTraces = true

  constructor(data: DataFile) {
    this.#data = data
    this.#places = new Places(data.file)
    this.#words = new WordIndex(data.file)
    this.#vectors = new Vectors(data, this.#places)
  }

  put(space: string, rows: readonly StoredRow[]): void {
    const { file, cipher } = this.#data
    const sql = `INSERT INTO records (space, place, key, text, sealed, vector, bytes, at, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
    for (const row of rows) {
      const owner = this.#places.need(space, row.collection)
      this.#drop(space, this.#find(owner.place, row.key))
      const { text, sealed, vector } = sealedRecord(row, space, cipher)
      const key = JSON.stringify(row.key)
      const bytes = row.text.length
      const values = [text, sealed, vector, bytes, row.at, row.expiresAt ?? null] as const
      const id = file.insert(sql, owner.space, owner.place, key, ...values)
      this.#places.grow(owner.space, owner.place, 1, bytes)
      if (row.words !== undefined) this.#words.add(id, owner, row.words)
    }
    this.#places.count()
    this.#vectors.changed()
  }

  putIf(space: string, row: StoredRow, before: string | undefined): boolean {
    const found = this.get(space, row.collection, row.key)
    const text = found !== undefined && (found.expiresAt ?? Infinity) > row.at ? found.text : undefined
    if (text === before) this.put(space, [row])
    return text === before
  }

  get(space: string, collection: string, key: string): StoredRow | undefined {
    const place = this.#places.place(space, collection)
    if (place === undefined) return undefined
    const sql = `SELECT ${COLUMNS} FROM records r WHERE r.place = ? AND r.key = ?`
    const row = this.#data.file.get(sql, place, JSON.stringify(key))
    return row && this.#record(space, row)
  }

  delete(space: string, collection: string, key: string, now: number): boolean {
    const place = this.#places.place(space, collection)
    const row = place === undefined ? undefined : this.#find(place, key)
    this.#drop(space, row)
    this.#places.count()
    return row !== undefined && ((row['expires_at'] as number | null) ?? Infinity) > now
  }

  clear(space: string, collection: string): number {
    const place = this.#places.place(space, collection)
    if (place === undefined) return 0
    return this.#dropAll(space, 'r.place = ?', [place]).count
  }

  page(space: string, { now, collection, newest, conditions }: ScanFilter, after: number | undefined): RecordPage {
    const owner = collection === undefined ? this.#places.space(space) : this.#places.place(space, collection)
    if (owner === undefined || (newest !== undefined && newest <= 0)) return { rows: [] }
    const where = `${collection === undefined ? 'r.space' : 'r.place'} = ? AND (r.expires_at IS NULL OR r.expires_at > ?)`
    const from = after ?? this.#beginning(where, owner, now, newest)
    const sql = `SELECT ${COLUMNS} FROM records r WHERE ${where} AND r.id > ? ORDER BY r.id LIMIT ${PAGE.rows}`
    const rows: StoredRow[] = []
    let seen = 0
    let bytes = 0
    let last = from
    for (const row of this.#data.file.iterate(sql, owner, now, from)) {
      const record = this.#record(space, row)
      seen += 1
      last = row['id'] as number
      if (conditions !== undefined && !meets(JSON.parse(record.text) as Json, conditions)) continue
      rows.push(record)
      bytes += record.text.length
      if (bytes >= PAGE.bytes) return { rows, after: last }
    }
    return seen < PAGE.rows ? { rows } : { rows, after: last }
  }

  query(space: string, { now, collection, conditions, ...options }: QueryAsked): readonly StoredRow[] {
    const found = new Selection<StoredRow>(options)
    let page: RecordPage = { rows: [], after: 0 }
    while (page.after !== undefined) {
      page = this.page(space, { now, collection, conditions }, page.after)
      for (const row of page.rows)
        found.add(row, row.key, options.orderBy === undefined ? null : (JSON.parse(row.text) as Json))
    }
    return found.list()
  }

  collections(space: string): readonly CollectionSize[] {
    return this.#places.sizes(space)
  }

  trim(space: string, { now, collection, before, maxCount, maxBytes, isThorough = false }: TrimAsked): Trimmed {
    const owner = collection === undefined ? this.#places.space(space) : this.#places.place(space, collection)
    if (owner === undefined) return { count: 0, bytes: 0 }
    const whole = this.#places.space(space)!
    const scope = collection === undefined ? 'r.space = ?' : 'r.place = ? AND r.space = ?'
    const owners = collection === undefined ? [owner] : [owner, whole]
    const gone = [this.#dropAll(space, `${scope} AND r.expires_at <= ?`, [...owners, now])]
    if (before !== undefined) gone.push(this.#dropAll(space, `${scope} AND r.at < ?`, [...owners, before]))
    const left = this.#places.size(whole, collection === undefined ? undefined : owner)
    const over = { count: left.count - (maxCount ?? Infinity), bytes: left.bytes - (maxBytes ?? Infinity) }
    if (over.count > 0 || over.bytes > 0) gone.push(this.#dropOldest(space, { scope, owners }, over))
    if (isThorough && this.#hasTraces) this.#words.purge()
    if (isThorough) this.#hasTraces = false
    return gone.reduce((sum, one) => ({ count: sum.count + one.count, bytes: sum.bytes + one.bytes }))
  }

  matchWords(space: string, { words, limit, now, collection }: WordsAsked): readonly RankedRow[] {
    const owner = this.#places.space(space)
    const place = collection === undefined ? undefined : this.#places.place(space, collection)
    if (owner === undefined || (collection !== undefined && place === undefined)) return []
    // If most records are in this place, so are most matches of an unrestricted search; otherwise the place is searched alone.
    const isMost = this.#places.share(owner, place) > 0.5
    for (let most = isMost ? limit * 2 : limit, isNarrow = !isMost; ; most *= 4) {
      const found = this.#words.find(words, isNarrow ? { space: owner, place } : undefined, most)
      const rows = this.#ranked(space, found, now, isNarrow ? undefined : { space: owner, place })
      // Expired records are found too, until they are trimmed.
      if (rows.length >= limit || found.length < most) return rows.slice(0, limit)
      isNarrow ||= most > limit * 4
    }
  }

  nearest(space: string, asked: NearestAsked): readonly RankedRow[] {
    return this.#ranked(space, this.#vectors.nearest(space, asked), asked.now)
  }

  /** The transaction was rolled back. */
  rolledBack(): void {
    this.#places.forget()
    this.#vectors.forget()
  }

  #ranked(
    space: string,
    found: readonly { readonly item: number; readonly score: number }[],
    now: number,
    where?: { readonly space: number; readonly place: number | undefined },
  ): readonly RankedRow[] {
    const sql = `SELECT ${COLUMNS}, r.space FROM records r WHERE r.id = ? AND (r.expires_at IS NULL OR r.expires_at > ?)`
    const isElsewhere = (row: Row): boolean =>
      where !== undefined &&
      (row['space'] !== where.space || (where.place !== undefined && row['place'] !== where.place))
    return found.flatMap(({ item, score }) => {
      const row = this.#data.file.get(sql, item, now)
      return row === undefined || isElsewhere(row) ? [] : [{ row: this.#record(space, row), score }]
    })
  }

  /** The id behind which the `newest` records begin. */
  #beginning(where: string, owner: number, now: number, newest: number | undefined): number {
    if (newest === undefined) return 0
    const sql = `SELECT r.id FROM records r WHERE ${where} ORDER BY r.id DESC LIMIT 1 OFFSET ?`
    const first = this.#data.file.get(sql, owner, now, Math.floor(newest) - 1)?.['id'] as number | undefined
    return first === undefined ? 0 : first - 1
  }

  #record(space: string, row: Row): StoredRow {
    return recordOf(row, { space, collection: this.#places.nameOf(row['place'] as number) }, this.#data.cipher)
  }

  #find(place: number, key: string): Row | undefined {
    const sql = 'SELECT id, place, bytes, expires_at FROM records WHERE place = ? AND key = ?'
    return this.#data.file.get(sql, place, JSON.stringify(key))
  }

  #drop(space: string, row: Row | undefined): void {
    if (row === undefined) return
    const id = row['id'] as number
    this.#data.file.run('DELETE FROM records WHERE id = ?', id)
    this.#words.remove(id)
    this.#hasTraces = true
    this.#vectors.removed(space, id)
    this.#places.grow(this.#places.space(space)!, row['place'] as number, -1, -(row['bytes'] as number))
  }

  #dropAll(space: string, where: string, params: readonly number[]): Trimmed {
    const sql = `SELECT r.id, r.place, r.bytes FROM records r WHERE ${where}`
    return this.#dropRows(space, this.#data.file.all(sql, ...params))
  }

  #dropOldest(
    space: string,
    { scope, owners }: { readonly scope: string; readonly owners: readonly number[] },
    over: Trimmed,
  ): Trimmed {
    const sql = `SELECT r.id, r.place, r.bytes FROM records r WHERE ${scope} ORDER BY r.id`
    const doomed: Row[] = []
    let bytes = 0
    for (const row of this.#data.file.iterate(sql, ...owners)) {
      if (doomed.length >= over.count && bytes >= over.bytes) break
      doomed.push(row)
      bytes += row['bytes'] as number
    }
    return this.#dropRows(space, doomed)
  }

  #dropRows(space: string, rows: readonly Row[]): Trimmed {
    let bytes = 0
    for (const row of rows) {
      this.#drop(space, row)
      bytes += row['bytes'] as number
    }
    this.#places.count()
    return { count: rows.length, bytes }
  }
}
