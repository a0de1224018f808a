import type { SqliteFile } from '../sqlite-file.ts'

/** Begins what is no word: private letters, which no word has. */
const MARK = '\ue000'

/** Which space and collection a record is in, as words of its own: then the index looks only there. */
function markOf(kind: 's' | 'p', id: number): string {
  return `${MARK}${kind}${id}`
}

/** Records by the words they hold. */
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

  /** Writes the index anew: what was removed from it is in there until then. */
  purge(): void {
    this.#file.run(`INSERT INTO words (words) VALUES ('optimize')`)
  }

  /**
   * Ids and scores, best first. What holds all the words is looked for first: that is quick however common some of them are, and where there
   * is enough of it nothing else would come before. Without a place all are searched: to rank, the index counts whatever it is asked for, and
   * counting a place that most records are in takes longer than leaving out the others afterwards.
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
    // The index ranks from below.
    return this.#file
      .all(sql, query, limit)
      .map((row) => ({ item: row['id'] as number, score: -(row['score'] as number) }))
  }
}
