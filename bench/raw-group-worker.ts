import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

export interface RawRow {
  readonly id: number
  readonly run: string
  readonly type: string
  /** The whole entry, as JSON. */
  readonly body: string
}

/** The minimum for durable group commits: queued writes go into one transaction, one row each, one sync. Nothing is checked. */
const { path } = workerData as { readonly path: string }
const database = new DatabaseSync(path)
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 4000;
  CREATE TABLE rows (id INTEGER PRIMARY KEY, run TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL);
`)
const insert = database.prepare('INSERT INTO rows (run, type, body) VALUES (?, ?, ?)')
let gathered: readonly RawRow[] = []

function commit(): void {
  const rows = gathered
  gathered = []
  database.exec('BEGIN IMMEDIATE')
  for (const { run, type, body } of rows) insert.run(run, type, body)
  database.exec('COMMIT')
  parentPort!.postMessage(
    rows.map(({ id }) => id),
    [],
  )
}

parentPort!.on('message', (rows: readonly RawRow[] | 'close') => {
  if (rows === 'close') {
    database.close()
    parentPort!.close()
    return
  }
  if (gathered.length === 0) setImmediate(commit)
  gathered = gathered.length === 0 ? rows : [...gathered, ...rows]
})
