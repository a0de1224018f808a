import { MandateError } from '../../../core/index.ts'
import { notSealed } from '../../encryption/index.ts'
import type { RowCipher } from '../../encryption/index.ts'
import { newerSchema } from '../file-checks.ts'
import { SqliteFile } from '../sqlite-file.ts'
import { storeError } from '../store-errors.ts'
import type { DataOptions } from './protocol.ts'
import { DATA_MIGRATIONS } from './schema.ts'

/** The file with the tables of memory, database and prompts. */
export class DataFile {
  readonly options: DataOptions
  readonly file: SqliteFile
  #ready = -1

  constructor(options: DataOptions) {
    this.options = options
    this.file = new SqliteFile(options)
  }

  /** Opens the file and creates the tables, unless that was done through this handle. */
  open(): void {
    this.file.open()
    if (this.#ready === this.file.handle) return
    try {
      if (this.#version() < DATA_MIGRATIONS.length) this.#migrate()
      this.#refusePlain()
    } catch (error) {
      this.file.drop()
      throw storeError(error, this.file.path)
    }
    this.#ready = this.file.handle
  }

  get cipher(): RowCipher | undefined {
    return this.file.cipher
  }

  /** Checked within a transaction: another process may have encrypted the file since it was opened here. */
  checkSealing(): void {
    if (this.cipher === undefined && this.file.get('SELECT 1 FROM data_keys LIMIT 1') !== undefined)
      this.file.leaveSealed()
  }

  /** Changes when another connection has committed. */
  foreignVersion(): unknown {
    return this.file.get('PRAGMA data_version')?.['data_version']
  }

  #version(): number {
    const row = this.file.get(`SELECT value FROM store WHERE name = 'data'`)
    const version = Number(row?.['value'] ?? 0)
    if (version > DATA_MIGRATIONS.length) throw newerSchema(this.file.path, version, DATA_MIGRATIONS.length)
    return version
  }

  #migrate(): void {
    this.file.exec('BEGIN IMMEDIATE')
    try {
      // Checked again under the lock: another process may have done it meanwhile.
      for (const step of DATA_MIGRATIONS.slice(this.#version())) this.file.exec(step)
      this.file.run(`INSERT OR REPLACE INTO store (name, value) VALUES ('data', ?)`, String(DATA_MIGRATIONS.length))
      this.file.exec('COMMIT')
    } catch (error) {
      this.file.exec('ROLLBACK')
      throw error
    }
  }

  /**
   * A file that was created without keys cannot be encrypted later, because existing content would stay plain. The oldest rows show that; a plain row
   * elsewhere is refused when it is read.
   */
  #refusePlain(): void {
    if (this.cipher === undefined) return
    const isPlain = (sql: string): boolean => this.file.get(sql)?.['plain'] === 1
    if (
      isPlain('SELECT sealed IS NULL AS plain FROM records ORDER BY id LIMIT 1') ||
      isPlain('SELECT sealed IS NULL AS plain FROM prompts ORDER BY number LIMIT 1')
    )
      throw notSealed(this.file.path)
  }
}

/** The error of every call after `close`. */
export function dataClosed(): MandateError {
  return new MandateError('CLOSED', 'The store is closed. Open it again with `sqliteData`.')
}
