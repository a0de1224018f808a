import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { MandateError } from '../../core/index.ts'
import type { Entry, Journal } from '../../journal/index.ts'
import { sqliteJournal } from './index.ts'
import type { SqliteJournal, SqliteJournalOptions } from './sqlite-journal.ts'

/** A folder that is deleted after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The path of a database that does not exist yet. */
export function newPath(): string {
  return join(newFolder(), 'journal.db')
}

/** A journal that is closed after the test. */
export function openJournal(path: string, options: Partial<SqliteJournalOptions> = {}): SqliteJournal {
  const journal = sqliteJournal({ watchIntervalMs: 10, ...options, path })
  onTestFinished(() => journal.close())
  return journal
}

/** Stores a run like its only writer. */
export async function store(journal: Journal, entries: readonly Entry[]): Promise<void> {
  const lease = await journal.acquire({ run: entries[0]!.run, owner: 'tester', ttlMs: 1_000, now: 0 })
  await journal.append(lease, 0, entries)
  await journal.release(lease)
}

/** Changes a closed database without the journal. */
export function tamper(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

/** The error of a rejected promise; fails if it resolves. */
export async function refused(attempt: Promise<unknown>): Promise<MandateError> {
  try {
    await attempt
  } catch (error) {
    if (MandateError.isInstance(error)) return error
    throw error
  }
  throw new Error('It was accepted.')
}
