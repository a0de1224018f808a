import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue } from 'node:sqlite'

/**
 * Implements the interface of better-sqlite3 that LangGraph's SQLite checkpointer uses on `node:sqlite`, because that package would have to be compiled. The
 * SQLite library is the same.
 */
export function checkpointDatabase(path: string): object {
  const db = new DatabaseSync(path)
  const transaction =
    (work: (...args: unknown[]) => void) =>
    (...args: unknown[]): void => {
      db.exec('BEGIN IMMEDIATE')
      work(...args)
      db.exec('COMMIT')
    }
  const prepare = (sql: string): object => {
    const statement = db.prepare(sql)
    // `undefined` becomes NULL.
    const given = (args: readonly SQLInputValue[]): SQLInputValue[] => args.map((arg) => arg ?? null)
    return {
      run: (...args: SQLInputValue[]) => statement.run(...given(args)),
      get: (...args: SQLInputValue[]) => statement.get(...given(args)),
      all: (...args: SQLInputValue[]) => statement.all(...given(args)),
    }
  }
  return {
    prepare,
    exec: (sql: string) => db.exec(sql),
    // As durable as the other sides: a step is on disk before the next one starts.
    pragma: (text: string) => db.exec(`PRAGMA ${text}; PRAGMA synchronous=FULL`),
    transaction,
  }
}
