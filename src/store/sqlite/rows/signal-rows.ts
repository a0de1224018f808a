import type { Signal } from '../../../journal/index.ts'
import { openSignal, sealSignal } from './sealed-rows.ts'
import type { SqliteFile } from '../sqlite-file.ts'

/** Inserts a signal. Returns false if the id was used before, even by a consumed signal. */
export function insertSignal(file: SqliteFile, run: string, signal: Signal): boolean {
  const { cipher } = file
  const sql = 'INSERT INTO signals (run, id, content, sealed) VALUES (?, ?, ?, ?) ON CONFLICT (run, id) DO NOTHING'
  const said = cipher === undefined ? [JSON.stringify(signal), null] : [null, sealSignal(cipher, run, signal)]
  return file.run(sql, run, JSON.stringify(signal.id), ...said) > 0
}

export function readSignals(file: SqliteFile, run: string): Signal[] {
  const { cipher } = file
  const sql =
    'SELECT id, content, sealed FROM signals WHERE run = ? AND (content IS NOT NULL OR sealed IS NOT NULL) ORDER BY number'
  return file.all(sql, run).flatMap((row) => {
    if (cipher === undefined && row['sealed'] !== null) return file.leaveSealed() ?? []
    const text = cipher === undefined ? (row['content'] as string) : openSignal(cipher, run, row)
    return JSON.parse(text) as Signal
  })
}

export function consumeSignal(file: SqliteFile, run: string, id: string): void {
  file.run('UPDATE signals SET content = NULL, sealed = NULL WHERE run = ? AND id = ?', run, JSON.stringify(id))
}

export function eraseSignals(file: SqliteFile, run: string): void {
  file.run('UPDATE signals SET content = NULL, sealed = NULL WHERE run = ?', run)
}
