import { MandateError } from '../../../core/index.ts'
import { GENESIS, foldSummary } from '../../../journal/index.ts'
import type { Change, RunSummary } from '../../../journal/index.ts'
import { lastEntryId, parseEntry, readPage, runsGrownSince } from './entry-rows.ts'
import type { Row, SqliteFile } from '../sqlite-file.ts'

export const SUMMARIES = `SELECT runs.run AS run, summary, number, seq, hash, at, state, name, session, parent, wake_at, created_at, updated_at
  FROM runs LEFT JOIN heads ON heads.run = runs.run`

export function readSummary(file: SqliteFile, run: string): RunSummary | undefined {
  return readRun(file, run)?.summary
}

/** A run's summary, and the row number of its head. */
export function readRun(
  file: SqliteFile,
  run: string,
): { summary: RunSummary; number: number | undefined } | undefined {
  const row = file.get(`${SUMMARIES} WHERE runs.run = ?`, run)
  if (row === undefined) return undefined
  return { summary: summaryOf(file, row), number: (row['number'] as number | null) ?? undefined }
}

/** The summary of a row. It is a cached fold: if it cannot be parsed, the entries are folded again; if they cannot be read, the other columns are used. */
export function summaryOf(file: SqliteFile, row: Row): RunSummary {
  const run = row['run'] as string
  try {
    const summary = JSON.parse(row['summary'] as string) as RunSummary
    if (summary.run === run && typeof summary.head.seq === 'number') return atHead(summary, row)
  } catch {
    // Falls through to the entries.
  }
  const folded = folding(file, run) ?? { ...summaryInColumns(row), damage: unreadable(run) }
  // The mark of an import was in the summary and is lost: the whole run counts as imported, without authority.
  return { ...folded, imported: { from: 1, to: Math.max(folded.head.seq, 1) } }
}

/** The summary of a run from its entries; `undefined` if they cannot be read. */
function folding(file: SqliteFile, run: string): RunSummary | undefined {
  let summary: RunSummary | undefined
  try {
    for (let page = readPage(file, run, 1); page.entries.length > 0; page = readPage(file, run, summary!.head.seq + 1))
      for (const entry of page.entries) summary = foldSummary(summary, parseEntry(entry))
  } catch (error) {
    if (MandateError.isInstance(error) && error.code === 'JOURNAL_DAMAGED') return undefined
    throw error
  }
  return summary
}

function unreadable(run: string): string {
  return `Run "${run}" is damaged: neither its summary nor all of its entries can be read. Verify it, and restore the file from a backup.`
}

/** A summary from the other columns. Damage is reported when the run is read or resumed. */
function summaryInColumns(row: Row): RunSummary {
  const text = (name: string): string => String(row[name])
  return {
    run: text('run'),
    mind: 'agent',
    name: text('name'),
    sessionId: text('session'),
    parent: (row['parent'] as string | null) ?? undefined,
    state: text('state') as RunSummary['state'],
    wakeAt: (row['wake_at'] as number | null) ?? undefined,
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    head: row['seq'] === null ? GENESIS : { seq: Number(row['seq']), hash: text('hash'), at: Number(row['at']) },
    erased: false,
  }
}

/** Refolds the summaries of open runs once, in a file from before summaries contained open questions. */
export function catchUp(file: SqliteFile): void {
  const isDue = (): boolean => file.get(`SELECT value FROM store WHERE name = 'waiting'`)?.['value'] === 'unread'
  // Entries cannot be decrypted without keys; a process that has them does this.
  if (!isDue() || file.isWithoutKeys) return
  file.exec('BEGIN IMMEDIATE')
  try {
    // Checked again under the lock: another process may have done it meanwhile.
    if (isDue()) {
      for (const row of file.all(`${SUMMARIES} WHERE state IN ('running', 'suspended')`)) {
        const waiting = folding(file, row['run'] as string)?.waiting
        if (waiting !== undefined) writeSummary(file, { ...summaryOf(file, row), waiting })
      }
      file.run(`UPDATE store SET value = 'read' WHERE name = 'waiting'`)
    }
    file.exec('COMMIT')
  } catch (error) {
    file.exec('ROLLBACK')
    throw error
  }
}

/** Entries that do not change the summary move only its head. */
function atHead(summary: RunSummary, { seq, hash, at }: Row): RunSummary {
  if (typeof seq !== 'number' || seq <= summary.head.seq) return summary
  return { ...summary, updatedAt: Number(at), head: { seq, hash: String(hash), at: Number(at) } }
}

/** Writes the head of a run. Returns its row number. */
export function writeHead(file: SqliteFile, { run, head }: RunSummary, number: number | undefined): number {
  const { seq, hash, at } = head
  if (number !== undefined) {
    file.run('UPDATE heads SET seq = ?, hash = ?, at = ? WHERE number = ?', seq, hash, at, number)
    return number
  }
  const sql = `INSERT INTO heads (run, seq, hash, at) VALUES (?, ?, ?, ?)
     ON CONFLICT (run) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, at = excluded.at RETURNING number`
  return file.get(sql, run, seq, hash, at)?.['number'] as number
}

export function writeSummary(file: SqliteFile, summary: RunSummary): void {
  const change = nextChange(file)
  file.run(
    `INSERT INTO runs (run, state, name, session, parent, created_at, updated_at, wake_at, waiting_at, changed, appended, signalled, summary)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
     ON CONFLICT (run) DO UPDATE SET
       state = excluded.state, name = excluded.name, session = excluded.session, parent = excluded.parent, updated_at = excluded.updated_at,
       wake_at = excluded.wake_at, waiting_at = excluded.waiting_at, changed = excluded.changed, appended = excluded.appended, summary = excluded.summary`,
    summary.run,
    summary.state,
    summary.name,
    summary.sessionId,
    summary.parent ?? null,
    summary.createdAt,
    summary.updatedAt,
    summary.wakeAt ?? null,
    summary.waiting?.[0]?.at ?? null,
    change,
    change,
    // Damage is found anew by each reader.
    JSON.stringify({ ...summary, damage: undefined }),
  )
}

export function noteSignal(file: SqliteFile, run: string): void {
  const change = nextChange(file)
  file.run('UPDATE runs SET changed = ?, signalled = ? WHERE run = ?', change, change, run)
}

/** The next change number. Reading and then writing is safe, because every writer holds the file's write lock from the beginning of its transaction. */
function nextChange(file: SqliteFile): number {
  return lastChange(file) + 1
}

function lastChange(file: SqliteFile): number {
  return Number(file.get('SELECT max(changed) AS last FROM runs')?.['last'] ?? 0)
}

/** The last change that a watcher has seen. */
export interface Seen {
  readonly change: number
  readonly entry: number
}

export function lastSeen(file: SqliteFile): Seen {
  return { change: lastChange(file), entry: lastEntryId(file) }
}

/** The changes of runs since then. */
export function changesSince(file: SqliteFile, seen: Seen): Change[] {
  const rows = file.all('SELECT run, appended, signalled FROM runs WHERE changed > ?', seen.change)
  const runsOf = (column: 'appended' | 'signalled'): string[] =>
    rows.filter((row) => Number(row[column]) > seen.change).map((row) => row['run'] as string)
  const grown = new Set([...runsGrownSince(file, seen.entry), ...runsOf('appended')])
  return [
    ...[...grown].map((run): Change => ({ run, kind: 'entry' })),
    ...runsOf('signalled').map((run): Change => ({ run, kind: 'signal' })),
  ]
}
