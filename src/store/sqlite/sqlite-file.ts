import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { keysRequired } from '../encryption/index.ts'
import type { RekeyReport, RowCipher } from '../encryption/index.ts'
import { checkPath, missingLog, placesOf, refuseMissing, replacedFile } from './file-checks.ts'
import type { FilePlaces } from './file-checks.ts'
import { openFileCipher, readDataKeys, rekeyFile } from './file-cipher.ts'
import type { FileOptions } from './protocol.ts'
import { prepareFile } from './open-file.ts'
import { storeError } from './store-errors.ts'

export type Row = Record<string, SQLOutputValue>

/** A handle on the database file. Opened on demand, and discarded after any failure of the file. */
export class SqliteFile {
  readonly #options: FileOptions
  #database: DatabaseSync | undefined
  #storeId = ''
  #place: FilePlaces | undefined
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

  /** Identifies this file: another file that replaces it at the same path has another id. */
  get storeId(): string {
    return this.#storeId
  }

  /** The number of the handle: state that was cached through one handle is not valid for the next. */
  get handle(): number {
    return this.#handle
  }

  /** Encrypts the contents of rows, if the file is encrypted. */
  get cipher(): RowCipher | undefined {
    this.open()
    return this.#cipher
  }

  /** The file was opened without its keys, so that contents cannot be read. */
  get isWithoutKeys(): boolean {
    return this.cipher === undefined && readDataKeys(this.open()).length > 0
  }

  /** For encrypted contents without a cipher: `undefined` if the file was opened without keys on purpose, otherwise an error. */
  leaveSealed(): undefined {
    if (this.#options.withoutKeys === true) return undefined
    throw keysRequired(this.path, [...new Set(readDataKeys(this.open()).map((key) => key.hostKey))])
  }

  rekey(): RekeyReport {
    return rekeyFile(this.open(), this.#options, this.#storeId)
  }

  /** Reads the data keys that are on disk by now. */
  learnKeys(): void {
    this.#cipher?.learn(readDataKeys(this.open()))
  }

  open(): DatabaseSync {
    if (this.#database !== undefined) return this.#database
    let database: DatabaseSync | undefined
    const before = this.#storeId
    try {
      // A file that was open is never created anew: its loss must not look like a fresh start.
      if (this.#place !== undefined) this.#refuseOther(this.#place)
      const existed = checkPath(this.path)
      database = new (databaseClass())(this.path)
      this.#storeId = prepareFile(database, this.#options, existed)
      if (before !== '' && before !== this.#storeId) throw replacedFile(this.path)
      this.#cipher = openFileCipher(database, this.#options, this.#storeId)
    } catch (error) {
      closeQuietly(database)
      if (before !== '') this.#storeId = before
      throw storeError(error, this.path)
    }
    this.#database = database
    this.#place = placesOf(this.path)
    this.#handle += 1
    return database
  }

  /**
   * Throws if the file or its log was deleted, moved or replaced while it is open: what is written then lies in files that nobody can open again. A few
   * microseconds for each commit.
   */
  checkPresence(): void {
    const was = this.#place
    if (this.#database === undefined || was === undefined) return
    const now = this.#refuseOther(was)
    // SQLite creates the log with the first write.
    if (was.log !== undefined && now.log !== was.log) throw missingLog(this.path)
    this.#place = now
  }

  #refuseOther(was: FilePlaces): FilePlaces {
    refuseMissing(this.path)
    const now = placesOf(this.path)
    if (now.file !== was.file) throw replacedFile(this.path)
    return now
  }

  /**
   * Discards the handle. After a failed write its view of the file is not to be trusted, and a retry on it could report success for bytes that never
   * reached the disk.
   */
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

  /** Returns the number of changed rows. */
  run(sql: string, ...params: SQLInputValue[]): number {
    return Number(this.#prepareWrite(sql).run(...params).changes)
  }

  /** Returns the id of the new row. */
  insert(sql: string, ...params: SQLInputValue[]): number {
    return Number(this.#prepareWrite(sql).run(...params).lastInsertRowid)
  }

  /** Moves everything from the log into the database file, both synced, and empties the log. Returns false if another process prevented it. */
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
   * The full-text index gives its own rows ids above 2^53 when something is deleted. Such an id is then the last row id of every later write, and
   * Node 26 throws instead of returning it as a number.
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

/** Loaded at run time and without its warning: Node 22 prints to every terminal that its SQLite is experimental. A later Node calls the class `Database`. */
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
    // The handle is discarded because of an error already.
  }
}
