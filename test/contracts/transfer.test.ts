import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exportRun, importRun, memoryJournal, readAll, verifyEntries } from 'mandate/journal'
import type { Journal } from 'mandate/journal'
import { postgresJournal } from 'mandate/postgres'
import { keyRing, newKey, retain, sqliteJournal } from 'mandate/sqlite'
import { sampleRun } from '../../src/testing/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

const encryption = keyRing(`test:${newKey()}`)
let schemas = 0

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mandate-transfer-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

const stores: Record<string, () => Promise<Journal>> = {
  memory: async () => memoryJournal(),
  SQLite: async () => sqliteJournal({ path: join(folder(), 'journal.db') }),
  'sealed SQLite': async () => sqliteJournal({ path: join(folder(), 'journal.db'), encryption }),
}
if (has('postgres'))
  stores['Postgres'] = async () =>
    postgresJournal({ url: await sharedServer('postgres'), schema: `transfer_${process.pid}_${(schemas += 1)}` })

async function opened(name: string): Promise<Journal> {
  const journal = await stores[name]!()
  onTestFinished(() => journal.close())
  return journal
}

async function linesOf(journal: Journal, run: string): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportRun(journal, run)) lines.push(line)
  return lines
}

const pairs = Object.keys(stores).flatMap((from) => Object.keys(stores).map((to) => [from, to] as const))

describe('a run moves without changing a byte', () => {
  test.each(pairs)('from %s to %s', async (from, to) => {
    const [source, target] = [await opened(from), await opened(to)]
    const lease = await source.acquire({ run: 'run', owner: 'x', ttlMs: 1_000, now: 0 })
    await source.append(lease, 0, sampleRun('run', { notes: 20, end: 'completed' }))
    const lines = await linesOf(source, 'run')
    expect(await importRun(target, lines, 0)).toEqual({ run: 'run', entries: 22 })
    expect(await linesOf(target, 'run')).toEqual(lines)
    expect(await importRun(source, await linesOf(target, 'run'), 0)).toEqual({ run: 'run', entries: 0 })
  })
})

describe('retention by size never breaks a chain', () => {
  test.each(Object.keys(stores))('in %s', async (name) => {
    const journal = await opened(name)
    for (const [at, run] of ['a', 'b', 'c'].entries()) {
      const lease = await journal.acquire({ run, owner: 'x', ttlMs: 1_000, now: 0 })
      await journal.append(lease, 0, sampleRun(run, { notes: 5, end: 'completed', at: 1_000 + at * 1_000 }))
      await journal.release(lease)
    }
    expect(await retain(journal, { maxBytes: 1_000_000, now: 10_000 })).toMatchObject({
      runs: [],
      entries: 0,
      bytes: 0,
    })
    const report = await retain(journal, { maxBytes: 1, now: 10_000 })
    expect(report.runs.toSorted()).toEqual(['a', 'b', 'c'])
    expect(report.bytes).toBeGreaterThan(500)
    for (const run of ['a', 'b', 'c'])
      expect(verifyEntries(run, await readAll(journal, run))).toMatchObject({ ok: true, entries: 7, erased: 7 })
  })
})
