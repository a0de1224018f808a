import { placeOf } from '../../encryption/index.ts'
import type { SqliteFile } from '../sqlite-file.ts'

/** Stores content once, with a reference of the run. */
export function insertBlob(
  file: SqliteFile,
  { run, hash, bytes }: { readonly run: string; readonly hash: string; readonly bytes: Uint8Array },
): void {
  const isThere = file.get('SELECT 1 AS found FROM blobs WHERE hash = ?', hash) !== undefined
  if (!isThere) {
    const sealed = file.cipher?.seal(placeOf('blobs', hash), bytes)
    const sql = 'INSERT INTO blobs (hash, size, content, sealed) VALUES (?, ?, ?, ?)'
    file.run(sql, hash, bytes.length, sealed === undefined ? bytes : null, sealed ?? null)
  }
  file.run('INSERT INTO run_blobs (run, hash) VALUES (?, ?) ON CONFLICT DO NOTHING', run, hash)
}

/** Content that the run refers to. */
export function readBlob(file: SqliteFile, run: string, hash: string): Uint8Array | undefined {
  const sql = 'SELECT content, sealed FROM blobs JOIN run_blobs USING (hash) WHERE run = ? AND hash = ?'
  const row = file.get(sql, run, hash) as { content: Uint8Array | null; sealed: Uint8Array | null } | undefined
  if (row === undefined) return undefined
  // Empty content is stored as NULL by `node:sqlite` before Node 22.20.
  if (row.sealed === null && file.cipher === undefined) return row.content ?? new Uint8Array()
  if (file.cipher === undefined) return file.leaveSealed()
  // The cipher refuses plain content in an encrypted file.
  return new Uint8Array(file.cipher.open(placeOf('blobs', hash), (row.sealed ?? row.content)!))
}

/** Deletes content that only this run refers to. */
export function eraseBlobs(file: SqliteFile, run: string): void {
  file.run(
    `DELETE FROM blobs WHERE hash IN (SELECT hash FROM run_blobs WHERE run = ?)
      AND NOT EXISTS (SELECT 1 FROM run_blobs other WHERE other.hash = blobs.hash AND other.run <> ?)`,
    run,
    run,
  )
  file.run('DELETE FROM run_blobs WHERE run = ?', run)
}

export function blobBytes(file: SqliteFile, run: string): number {
  const sql = 'SELECT total(size) AS bytes FROM blobs JOIN run_blobs USING (hash) WHERE run = ?'
  return Number(file.get(sql, run)?.['bytes'] ?? 0)
}
