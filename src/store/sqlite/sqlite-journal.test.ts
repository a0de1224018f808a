import { existsSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { manualClock, seededRandom } from '../../core/index.ts'
import { JournalWriter, exportRun, memoryJournal, readAll } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { sampleRun, sampleStart } from '../../testing/index.ts'
import { sqliteJournal } from './index.ts'
import { newPath, openJournal, refused, store } from './sqlite.fixture.ts'

test('writes of many runs that arrive together share a commit', async () => {
  const journal = openJournal(newPath())
  await journal.open()
  await Promise.all(Array.from({ length: 100 }, (_, index) => store(journal, sampleRun(`run_${index}`))))
  const { commits, writes } = await journal.stats()
  expect(writes).toBe(300)
  expect(commits).toBeLessThan(100)
})

test('the same run gives the same bytes in memory and in the file', async () => {
  const write = async (journal: Journal): Promise<string[]> => {
    const lease = await journal.acquire({ run: 'run', owner: 'x', ttlMs: 1, now: 0 })
    const writer = new JournalWriter({ journal, lease, clock: manualClock(1_000, 7), random: seededRandom('same') })
    writer.add('run-start', undefined, sampleStart())
    for (let index = 0; index < 50; index++)
      writer.add('note', `k:${index}`, { name: 'n', value: { index, text: '🙂'.repeat(index) } })
    writer.add('run-end', undefined, { state: 'completed', activeMs: 1, spent: {} })
    await writer.durable()
    const lines: string[] = []
    for await (const line of exportRun(journal, 'run')) lines.push(line)
    return lines
  }
  const inFile = await write(openJournal(newPath()))
  expect(inFile).toEqual(await write(memoryJournal()))
  expect(inFile).toHaveLength(52)
})

test('after closing, everything is refused as closed', async () => {
  const journal = openJournal(newPath())
  const lease = await journal.acquire({ run: 'run', owner: 'x', ttlMs: 1, now: 0 })
  const pending = journal.append(lease, 0, sampleRun('run'))
  await Promise.all([journal.close(), journal.close()])
  await pending
  const attempts = [
    journal.list(),
    journal.append(lease, 1, []),
    journal.summary('run'),
    readAll(journal, 'run'),
    journal.open(),
    journal.stats(),
  ]
  for (const attempt of attempts) expect((await refused(attempt)).code).toBe('CLOSED')
  expect(() => journal.watch('run', () => {})).toThrow('closed')
  await journal.close()
})

test('a journal that was never used closes without having made a file', async () => {
  const path = newPath()
  await sqliteJournal({ path }).close()
  expect(existsSync(path)).toBe(false)
})

test('a watcher gets the changes of another connection', async () => {
  const path = newPath()
  const [here, there] = [openJournal(path), openJournal(path)]
  const heard: string[] = []
  here.watch('run', ({ run, kind }) => heard.push(`${run} ${kind}`))
  await here.open()
  await store(there, sampleRun('other'))
  await store(there, sampleRun('run'))
  // What is written while it is looked for may be told twice.
  await vi.waitFor(() => expect(new Set(heard)).toEqual(new Set(['run entry'])), 15_000)
  await there.signal('run', { id: 's', type: 'wake', at: 1, by: { id: 'x', roles: [] }, data: null })
  await vi.waitFor(() => expect(new Set(heard)).toEqual(new Set(['run entry', 'run signal'])), 15_000)
})

test('what was erased is gone from the files, not only from the answers', async () => {
  const path = newPath()
  const journal = openJournal(path)
  const secret = 'planted-text-that-must-not-survive'
  const found = (): boolean =>
    [path, `${path}-wal`].some((file) => existsSync(file) && readFileSync(file).includes(secret))
  const entries = sampleRun('run', {
    notes: 2,
    end: 'completed',
    start: { input: secret, pins: { long: secret.repeat(1_000) } },
  })
  await store(journal, entries)
  await store(journal, sampleRun('other', { notes: 50 }))
  await journal.signal('run', { id: 's', type: 'steer', at: 1, by: { id: 'x', roles: [] }, data: { secret } })
  expect(found()).toBe(true)
  await journal.erase('run')
  expect(found()).toBe(false)
  expect((await readAll(journal, 'run')).map((entry) => entry.hash)).toEqual(entries.map((entry) => entry.hash))
})

test('a signal leaves no text behind once it was consumed and the run erased', async () => {
  const path = newPath()
  const journal = openJournal(path)
  const [start, ...rest] = sampleRun('run', { notes: 1, end: 'completed' })
  const lease = await journal.acquire({ run: 'run', owner: 'x', ttlMs: 1, now: 0 })
  await journal.append(lease, 0, [start!])
  await journal.signal('run', {
    id: 's',
    type: 'steer',
    at: 1,
    by: { id: 'x', roles: [] },
    data: 'planted-in-the-inbox',
  })
  await journal.append(lease, 1, rest, ['s'])
  await journal.erase('run')
  await journal.close()
  expect(readFileSync(path).includes('planted-in-the-inbox')).toBe(false)
})

test('another process that holds the file is waited for, and named when it holds on too long', async () => {
  const path = newPath()
  const [patient, hasty] = [openJournal(path, { busyTimeoutMs: 10_000 }), openJournal(path, { busyTimeoutMs: 20 })]
  // One after the other: the hasty one would not wait for the tables that the first one makes.
  await patient.open()
  await hasty.open()
  const holder = new DatabaseSync(path)
  holder.exec('BEGIN IMMEDIATE')
  const waiting = store(patient, sampleRun('patient'))
  const error = await refused(store(hasty, sampleRun('hasty')))
  expect([error.code, error.message]).toEqual([
    'STORE_FAILED',
    expect.stringContaining('Another process has held the file'),
  ])
  holder.exec('COMMIT')
  holder.close()
  await waiting
  await store(hasty, sampleRun('hasty'))
  expect(await patient.list()).toHaveLength(2)
})

test('a file that may not grow is a full disk; with room again nothing is lost', async () => {
  const path = newPath()
  const entries = sampleRun('run', { notes: 2_000, end: 'completed' })
  const small = openJournal(path, { maxBytes: 256 * 1024 })
  const lease = await small.acquire({ run: 'run', owner: 'x', ttlMs: 1, now: 0 })
  let stored = 0
  const error = await refused(
    (async () => {
      for (; stored < entries.length; stored += 20)
        await small.append(lease, stored, entries.slice(stored, stored + 20))
    })(),
  )
  expect([error.code, error.message]).toEqual(['DISK_FULL', expect.stringContaining('Free some space')])
  expect(stored).toBeGreaterThan(100)
  expect((await readAll(small, 'run')).length).toBe(stored)
  await small.close()
  const roomy = openJournal(path)
  const next = await roomy.acquire({ run: 'run', owner: 'x', ttlMs: 1, now: 0 })
  await roomy.append(next, stored, entries.slice(stored))
  expect(await readAll(roomy, 'run')).toEqual(entries)
})

test('one request that the tables refuse does not fail those beside it', async () => {
  const journal = openJournal(newPath())
  await journal.open()
  const answers = await Promise.allSettled([
    journal.acquire({ run: 'good', owner: 'x', ttlMs: 1, now: 0 }),
    journal.acquire({ run: 'bad', owner: 'x', ttlMs: Number.NaN, now: 0 }),
    journal.addCount('c', 1, 2),
    journal.addCount('c', Number.NaN, 2),
  ])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
  expect(await journal.sumCount('c', 0)).toBe(2)
})

test('what cannot be data is refused as a rejection', async () => {
  const journal = openJournal(newPath())
  const filter = { state: () => 'running' } as never
  expect((await refused(journal.list(filter))).code).toBe('INPUT_INVALID')
  expect(await journal.list()).toEqual([])
})

test('options that make no sense are refused at once', () => {
  for (const path of ['', ':memory:', 'a\0b', undefined as never])
    expect(() => sqliteJournal({ path })).toThrow('memoryJournal')
  expect(() => sqliteJournal({ path: 'x', busyTimeoutMs: -1 })).toThrow('busyTimeoutMs')
  expect(() => sqliteJournal({ path: 'x', maxBytes: Number.NaN })).toThrow('maxBytes')
})

test('a filter that is not valid is refused before SQLite sees it', async () => {
  const journal = openJournal(newPath())
  const error = await refused(journal.list({ after: 'r1' } as never))
  expect([error.code, error.message]).toEqual(['INPUT_INVALID', expect.stringContaining('`after`')])
})
