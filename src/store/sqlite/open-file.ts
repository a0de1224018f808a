import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { MandateError, systemRandom } from '../../core/index.ts'
import { emptiedDatabase, foreignDatabase, headsPath, newerSchema } from './file-checks.ts'
import type { FileOptions } from './protocol.ts'
import { APPLICATION_ID, MIGRATIONS } from './rows/schema.ts'
import { isBusy } from './store-errors.ts'

/**
 * Prepares a new handle: checks the file, applies settings, migrates the tables. Returns the id of the store. `existed`: whether there was a file
 * before the handle.
 */
export function prepareFile(database: DatabaseSync, options: FileOptions, existed: boolean): string {
  database.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`)
  const isNew = checkContent(database, options.path, existed)
  if (options.maxBytes !== undefined) {
    database.exec(
      `PRAGMA max_page_count = ${Math.max(1, Math.floor(options.maxBytes / readNumber(database, 'page_size')))}`,
    )
  }
  patiently(() => useLog(database, options.path), options.busyTimeoutMs)
  // FULL: acknowledged writes survive a power failure. secure_delete: erased data is overwritten, not only unlinked.
  database.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA secure_delete = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
  `)
  if (readNumber(database, 'user_version') < MIGRATIONS.length) migrate(database, options.path)
  // The tables are checkpointed into the file at once: if they were only in the log, a damaged log would leave a valid, empty database.
  if (isNew) database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const id = database.prepare(`SELECT value FROM store WHERE name = 'id'`).get()?.['value']
  if (typeof id !== 'string') throw foreignDatabase(options.path)
  return id
}

/** True for a new, empty file; false for an existing one; throws for anything else. */
function checkContent(database: DatabaseSync, path: string, existed: boolean): boolean {
  // Read before the content: heads are written after the tables, so heads now and no tables later mean loss, not a concurrent process.
  const isRemembered = existed && existsSync(headsPath(path))
  const { application, version, tables } = readContent(database)
  if (application === APPLICATION_ID) {
    if (version > MIGRATIONS.length) throw newerSchema(path, version, MIGRATIONS.length)
    if (version > 0) return false
  }
  if (tables !== 0 || (application !== 0 && application !== APPLICATION_ID)) throw foreignDatabase(path)
  if (isRemembered) throw emptiedDatabase(path)
  return true
}

/** Reads in one transaction: another process may create the tables between two reads, and a mix of both states is neither. */
function readContent(database: DatabaseSync): { application: number; version: number; tables: number } {
  database.exec('BEGIN')
  try {
    const tables = Number(database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'])
    return {
      tables,
      application: readNumber(database, 'application_id'),
      version: readNumber(database, 'user_version'),
    }
  } finally {
    rollBack(database)
  }
}

function useLog(database: DatabaseSync, path: string): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
  if (mode === 'wal') return
  throw new MandateError(
    'STORE_FAILED',
    `${path} lies where SQLite cannot keep a write-ahead log (mode "${String(mode)}"). Put it on a local disk.`,
  )
}

function migrate(database: DatabaseSync, path: string): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    // Checked again under the lock: another process may have done it meanwhile.
    const version = readNumber(database, 'user_version')
    if (version > MIGRATIONS.length) throw newerSchema(path, version, MIGRATIONS.length)
    for (const step of MIGRATIONS.slice(version)) database.exec(step)
    if (version === 0) {
      database.prepare(`INSERT INTO store (name, value) VALUES ('id', ?)`).run(systemRandom.hex(16))
      database.exec(`UPDATE store SET value = 'read' WHERE name = 'waiting'`)
    }
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`)
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** Rolls back a transaction that may be over already. Executed unconditionally, because some Node versions do not report whether there is one. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // There is no transaction any more.
  }
}

function readNumber(database: DatabaseSync, pragma: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0])
}

/** Retries an attempt: switching to the log needs exclusive access, and SQLite fails at once instead of waiting. Only the worker thread sleeps here. */
function patiently(attempt: () => void, timeoutMs: number): void {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let waited = 0; ; waited += 20) {
    try {
      attempt()
      return
    } catch (error) {
      if (!isBusy(error) || waited >= timeoutMs) throw error
      Atomics.wait(pause, 0, 0, 20)
    }
  }
}
