import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { canonical } from '../../src/core/index.ts'
import { readAll } from '../../src/journal/index.ts'
import type { Entry } from '../../src/journal/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import type { WriterReport } from './writer.ts'

/** Runs something in a folder of its own. */
export async function inFolder<T>(body: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-faults-'))
  try {
    return await body(join(folder, 'journal.db'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Two at a time: as many as the machine is promised to have cores. */
export async function inPairs<T>(cases: readonly T[], body: (one: T) => Promise<void>): Promise<void> {
  const queue = [...cases]
  const work = async (): Promise<void> => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) await body(one)
  }
  await Promise.all([work(), work()])
}

/**
 * What must hold after any fault: everything that was acknowledged is there, what is there is a prefix of what was planned, byte for byte,
 * the file is sound, the run can be taken at once, and it can be finished. Returns how many entries were found.
 */
export async function checkAftermath(
  path: string,
  planned: readonly Entry[],
  report: Pick<WriterReport, 'acked'>,
  where: string,
): Promise<number> {
  const journal = sqliteJournal({ path })
  try {
    const { run } = planned[0]!
    const found = await readAll(journal, run)
    expect(found.length, `${where}: acknowledged entries are there`).toBeGreaterThanOrEqual(report.acked)
    expect(found.map(canonical), `${where}: what is there was planned`).toEqual(
      planned.slice(0, found.length).map(canonical),
    )
    const lease = await journal.acquire({ run, owner: 'aftermath', ttlMs: 1_000, now: Date.now() })
    expect(lease.head.seq, where).toBe(found.length)
    await journal.append(lease, found.length, planned.slice(found.length))
    expect((await readAll(journal, run)).length, where).toBe(planned.length)
    await journal.close()
    expect(integrityOf(path), where).toBe('ok')
    return found.length
  } finally {
    await journal.close()
  }
}

function integrityOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return Object.values(database.prepare('PRAGMA integrity_check').get() ?? {})[0]
  } finally {
    database.close()
  }
}
