import type { SqliteFile } from '../sqlite-file.ts'

/** The prefix of index terms that are not words: a private-use character, which no word has. */
const MARK = '\ue000'

/** The term for the space or collection of a record, by which the index restricts a search. */
function markOf(kind: 's' | 'p', id: number): string {
  return `${MARK}${kind}${id}`
}

/** A full-text index of records. */
export class WordIndex {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  add(id: number, owner: { readonly space: number; readonly place: number }, words: string): void {
    this.#file.run(
      'INSERT INTO words (rowid, list) VALUES (?, ?)',
      id,
      `${markOf('s', owner.space)} ${markOf('p', owner.place)} ${words}`,
    )
  }

  remove(id: number): void {
    this.#file.run('DELETE FROM words WHERE rowid = ?', id)
  }

  /** Rewrites the index: removed terms stay in it until then. */
  purge(): void {
    this.#file.run(`INSERT INTO words (words) VALUES ('optimize')`)
  }

  /**
   * Ids and scores, best first. Records with all the words are searched first: that is fast however common the words are, and if there are enough of
   * them no other would rank before them. Without a place all are searched: for ranking the index counts every matching term, and counting a place
   * with most of the records takes longer than filtering the results.
   */
  find(
    words: readonly string[],
    where: { readonly space: number; readonly place?: number | undefined } | undefined,
    limit: number,
  ): readonly { readonly item: number; readonly score: number }[] {
    const mark = where && (where.place === undefined ? markOf('s', where.space) : markOf('p', where.place))
    const there = mark === undefined ? '' : `"${mark}" AND `
    const terms = words.map((word) => (word.length > 2 ? `"${word}"*` : `"${word}"`))
    if (terms.length > 1) {
      const whole = this.#match(`${there}${terms.join(' AND ')}`, limit)
      if (whole.length >= limit) return whole
    }
    return this.#match(`${there}(${terms.join(' OR ')})`, limit)
  }

  #match(query: string, limit: number): readonly { readonly item: number; readonly score: number }[] {
    const sql = 'SELECT rowid AS id, rank AS score FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?'
    // The index returns lower ranks for better matches.
    return this.#file
      .all(sql, query, limit)
      .map((row) => ({ item: row['id'] as number, score: -(row['score'] as number) }))
  }
}
