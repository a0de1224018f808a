import type { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../core/index.ts'
import { RowCipher, keysRequired, newDataKey, noKeysToChange, notSealed, rewrap } from '../encryption/index.ts'
import type { KeyRing, RekeyReport, SealedStore, WrappedKey } from '../encryption/index.ts'
import { rollBack } from './open-file.ts'
import type { FileOptions } from './protocol.ts'

/**
 * The cipher of a file; `undefined` if it is not encrypted. The file itself decides: one with data keys requires the keys of the host, and one with
 * plain entries is never partly encrypted.
 */
export function openFileCipher(database: DatabaseSync, options: FileOptions, storeId: string): RowCipher | undefined {
  const { path, ring, withoutKeys = false } = options
  const known = readDataKeys(database)
  if (ring === undefined) {
    if (known.length === 0 || withoutKeys) return undefined
    throw keysRequired(path, [...new Set(known.map((key) => key.hostKey))])
  }
  const store = { id: storeId, name: path }
  const keys = known.some((key) => key.hostKey === ring.current) ? known : addDataKey(database, ring, store)
  return new RowCipher({ ring, store, keys, reload: () => readDataKeys(database) })
}

/**
 * Re-encrypts all data keys with the current key of the host and creates a new one, within the transaction of the caller. The new key is added
 * to the cipher once it is on disk.
 */
export function rekeyFile(database: DatabaseSync, { ring, path }: FileOptions, storeId: string): RekeyReport {
  if (ring === undefined) throw noKeysToChange(path)
  const store = { id: storeId, name: path }
  const changed = rewrap(ring, store, readDataKeys(database))
  const fresh = newDataKey(ring, store, systemClock.now())
  for (const key of [...changed, fresh]) writeDataKey(database, key)
  return { hostKey: ring.current, rewrapped: changed.length, dataKey: fresh.id }
}

/** The encrypted data keys of the file. */
export function readDataKeys(database: DatabaseSync): WrappedKey[] {
  const rows = database.prepare('SELECT id, host_key, wrapped, created_at FROM data_keys').all()
  return rows.map((row) => ({
    id: String(row['id']),
    hostKey: String(row['host_key']),
    wrapped: row['wrapped'] as Uint8Array,
    createdAt: Number(row['created_at']),
  }))
}

/** Adds a data key, which must be on disk before anything is encrypted with it. */
function addDataKey(database: DatabaseSync, ring: KeyRing, store: SealedStore): WrappedKey[] {
  database.exec('BEGIN IMMEDIATE')
  try {
    // Checked again under the lock: another process may have done it meanwhile.
    const known = readDataKeys(database)
    if (known.length === 0) refusePlain(database, store.name)
    if (!known.some((key) => key.hostKey === ring.current))
      writeDataKey(database, newDataKey(ring, store, systemClock.now()))
    const keys = readDataKeys(database)
    // Opened before it is stored: with a wrong key in the ring nothing is added.
    void new RowCipher({ ring, store, keys })
    database.exec('COMMIT')
    return keys
  } catch (error) {
    rollBack(database)
    throw error
  }
}

function writeDataKey(database: DatabaseSync, { id, hostKey, wrapped, createdAt }: WrappedKey): void {
  const sql = `INSERT INTO data_keys (id, host_key, wrapped, created_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET host_key = excluded.host_key, wrapped = excluded.wrapped`
  const statement = database.prepare(sql)
  // As in `SqliteFile`: the last row id of the connection may be above 2^53.
  statement.setReadBigInts(true)
  statement.run(id, hostKey, wrapped, createdAt)
}

/** Throws if the file was created without keys: existing content would stay plain. */
function refusePlain(database: DatabaseSync, path: string): void {
  const finds = (sql: string): boolean => database.prepare(`SELECT EXISTS (${sql}) AS found`).get()?.['found'] !== 0
  const hasData = finds(`SELECT 1 FROM sqlite_schema WHERE name = 'records'`)
  const held = ['SELECT 1 FROM runs', ...(hasData ? ['SELECT 1 FROM records', 'SELECT 1 FROM prompts'] : [])]
  if (held.some(finds)) throw notSealed(path)
}
