import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { checkPath } from './file-checks.ts'
import type { FileOptions } from './protocol.ts'
import { prepareFile } from './opening.ts'
import { storeError } from './store-errors.ts'

export type Row = Record<string, SQLOutputValue>

/** One handle on the database file. It is opened when it is needed, and thrown away after any failure of the file. */
export class SqliteFile {
  readonly #options: FileOptions
  #database: DatabaseSync | undefined
  #storeId = ''
  #handle = 0
  #statements = new Map<string, StatementSync>()

  constructor(options: FileOptions) {
    this.#options = options
  }

  get path(): string {
    return this.#options.path
  }

  /** Tells this file from any other that ever had its name. */
  get storeId(): string {
    return this.#storeId
  }

  /** Numbers the handles: what was learned through one says nothing about the next. */
  get handle(): number {
    return this.#handle
  }

  open(): DatabaseSync {
    if (this.#database !== undefined) return this.#database
    let database: DatabaseSync | undefined
    try {
      const existed = checkPath(this.path)
      database = new (databaseClass())(this.path)
      this.#storeId = prepareFile(database, this.#options, existed)
    } catch (error) {
      closeQuietly(database)
      throw storeError(error, this.path)
    }
    this.#database = database
    this.#handle += 1
    return database
  }

  /** Forgets the handle. After a failed write its view of the file is not to be trusted, and trying again on it could report success for bytes that never reached the disk. */
  drop(): void {
    const database = this.#database
    this.#database = undefined
    this.#statements = new Map()
    closeQuietly(database)
  }

  exec(sql: string): void {
    this.open().exec(sql)
  }

  get(sql: string, ...params: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...params)
  }

  all(sql: string, ...params: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...params)
  }

  iterate(sql: string, ...params: SQLInputValue[]): Iterable<Row> {
    return this.#prepare(sql).iterate(...params)
  }

  /** Returns how many rows changed. */
  run(sql: string, ...params: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...params).changes)
  }

  /** Moves everything from the log into the database file, both synced, and empties the log. False when another process was in the way. */
  checkpoint(): boolean {
    return this.get('PRAGMA wal_checkpoint(TRUNCATE)')?.['busy'] === 0
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.open().prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/** Asked for at run time and with the warning held back: Node 22 tells every terminal that its SQLite is experimental. A later Node calls the class `Database`. */
function databaseClass(): typeof DatabaseSync {
  const emitWarning = Reflect.get(process, 'emitWarning')
  process.emitWarning = () => {}
  try {
    const sqlite = process.getBuiltinModule('node:sqlite') as {
      DatabaseSync?: typeof DatabaseSync
      Database?: typeof DatabaseSync
    }
    return (sqlite.DatabaseSync ?? sqlite.Database)!
  } finally {
    process.emitWarning = emitWarning
  }
}

function closeQuietly(database: DatabaseSync | undefined): void {
  try {
    database?.close()
  } catch {
    // It is being thrown away because something is wrong with it.
  }
}
