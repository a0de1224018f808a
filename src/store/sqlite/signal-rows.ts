import type { Signal } from '../../journal/index.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** False when the id has been used before, also by a signal that was consumed since. */
export function insertSignal(file: SqliteFile, run: string, signal: Signal): boolean {
  const sql = 'INSERT INTO signals (run, id, content) VALUES (?, ?, ?) ON CONFLICT (run, id) DO NOTHING'
  return file.run(sql, run, JSON.stringify(signal.id), JSON.stringify(signal)) > 0
}

export function readSignals(file: SqliteFile, run: string): Signal[] {
  const rows = file.all('SELECT content FROM signals WHERE run = ? AND content IS NOT NULL ORDER BY number', run)
  return rows.map((row) => JSON.parse(row['content'] as string) as Signal)
}

export function consumeSignal(file: SqliteFile, run: string, id: string): void {
  file.run('UPDATE signals SET content = NULL WHERE run = ? AND id = ?', run, JSON.stringify(id))
}

export function eraseSignals(file: SqliteFile, run: string): void {
  file.run('UPDATE signals SET content = NULL WHERE run = ?', run)
}
