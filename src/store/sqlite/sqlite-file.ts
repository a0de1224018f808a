import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { keysRequired } from '../encryption/index.ts'
import type { RekeyReport, RowCipher } from '../encryption/index.ts'
import { checkPath } from './file-checks.ts'
import { openFileCipher, readDataKeys, rekeyFile } from './file-cipher.ts'
import type { FileOptions } from './protocol.ts'
import { prepareFile } from './open-file.ts'
import { storeError } from './store-errors.ts'

export type Row = Record<string, SQLOutputValue>

/** One handle on the database file. It is opened when it is needed, and thrown away after any failure of the file. */
export class SqliteFile {
  readonly #options: FileOptions
  #database: DatabaseSync | undefined
  #storeId = ''
  #cipher: RowCipher | undefined
  #handle = 0
  #statements = new Map<string, StatementSync>()
  #writes = new Map<string, StatementSync>()

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

  /** Seals what the rows say, where the file is encrypted. */
  get cipher(): RowCipher | undefined {
    this.open()
    return this.#cipher
  }

  /** What entries say cannot be read here, and need not be. */
  get isWithoutKeys(): boolean {
    return this.cipher === undefined && readDataKeys(this.open()).length > 0
  }

  /** For what is sealed and cannot be opened: undefined where it is meant to stay so, an error where the keys were forgotten. */
  leaveSealed(): undefined {
    if (this.#options.withoutKeys === true) return undefined
    throw keysRequired(this.path, [...new Set(readDataKeys(this.open()).map((key) => key.hostKey))])
  }

  rekey(): RekeyReport {
    return rekeyFile(this.open(), this.#options, this.#storeId)
  }

  /** Takes in the data keys that are on disk by now. */
  learnKeys(): void {
    this.#cipher?.learn(readDataKeys(this.open()))
  }

  open(): DatabaseSync {
    if (this.#database !== undefined) return this.#database
    let database: DatabaseSync | undefined
    try {
      const existed = checkPath(this.path)
      database = new (databaseClass())(this.path)
      this.#storeId = prepareFile(database, this.#options, existed)
      this.#cipher = openFileCipher(database, this.#options, this.#storeId)
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
    this.#writes = new Map()
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
    return Number(this.#prepareWrite(sql).run(...params).changes)
  }

  /** Returns the number of the new row. */
  insert(sql: string, ...params: SQLInputValue[]): number {
    return Number(this.#prepareWrite(sql).run(...params).lastInsertRowid)
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

  /**
   * The full-text index gives its own rows numbers above 2^53 when something is deleted. Such a number is then the last row id of every later write, and
   * Node 26 throws where it would have to give it as a number.
   */
  #prepareWrite(sql: string): StatementSync {
    const known = this.#writes.get(sql)
    if (known !== undefined) return known
    const statement = this.open().prepare(sql)
    statement.setReadBigInts(true)
    this.#writes.set(sql, statement)
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
