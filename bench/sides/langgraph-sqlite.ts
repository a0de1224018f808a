import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue } from 'node:sqlite'

/**
 * What the SQLite checkpointer of LangGraph asks of better-sqlite3, on `node:sqlite`: that package has to be compiled, and SQLite is the same.
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
    // What is undefined there is NULL.
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
    // As durable as the other sides: a step is on the disk before the next one begins.
    pragma: (text: string) => db.exec(`PRAGMA ${text}; PRAGMA synchronous=FULL`),
    transaction,
  }
}
