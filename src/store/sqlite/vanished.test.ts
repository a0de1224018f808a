import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readAll } from '../../journal/index.ts'
import type { Journal, Lease } from '../../journal/index.ts'
import { sampleRun } from '../../testing/index.ts'
import { sqliteData } from './index.ts'
import { newFolder, openJournal, refused, store } from './sqlite.fixture.ts'

const [first, ...rest] = sampleRun('run', { notes: 3, end: 'completed' })

/** A journal in a folder of its own that has stored the first entry of a run. */
async function begun(): Promise<{ journal: Journal; lease: Lease; path: string; folder: string }> {
  const folder = join(newFolder(), 'store')
  mkdirSync(folder)
  const path = join(folder, 'journal.db')
  const journal = openJournal(path)
  const lease = await journal.acquire({ run: 'run', owner: 'me', ttlMs: 60_000, now: 0 })
  await journal.append(lease, 0, [first!])
  return { journal, lease, path, folder }
}

/** A store without the log that had its run, as a copy that left the log out. */
async function withoutLog(): Promise<string> {
  const { path } = await begun()
  const copy = join(newFolder(), 'journal.db')
  for (const end of ['', '.heads']) copyFileSync(`${path}${end}`, `${copy}${end}`)
  return copy
}

test('a run whose log was deleted is listed as damaged, is no unknown run, and is never begun anew', async () => {
  const path = await withoutLog()
  const journal = openJournal(path)
  const damage = expect.stringContaining('Run "run" is gone: it was stored up to entry 1') as unknown
  const lost = { run: 'run', state: 'suspended', suspendReason: 'in-doubt', damage }
  expect(await journal.list()).toMatchObject([lost])
  expect(await journal.list({ state: 'suspended', waiting: true, order: 'waiting' })).toMatchObject([lost])
  expect(await journal.list({ state: 'completed' })).toEqual([])
  expect(await journal.list({ sessionId: 'other' })).toEqual([])
  const refusal = { code: 'JOURNAL_DAMAGED', message: damage }
  expect(await journal.summary('run')).toMatchObject(lost)
  const wake = { id: 's', type: 'wake', at: 1, by: { id: 'ana', roles: [] }, data: null } as const
  expect(await refused(journal.signal('run', wake))).toMatchObject(refusal)
  expect(await refused(readAll(journal, 'run'))).toMatchObject(refusal)
  const error = await refused(journal.acquire({ run: 'run', owner: 'me', ttlMs: 1, now: 0 }))
  expect(error).toMatchObject(refusal)
  expect(error.message).not.toContain('fork')
  expect(await journal.summary('other')).toBe(undefined)
})

test('what a lost run advises can be done: without the recorded heads the store goes on', async () => {
  const path = await withoutLog()
  rmSync(`${path}.heads`)
  const journal = openJournal(path)
  expect(await journal.list()).toEqual([])
  await store(journal, sampleRun('run', { end: 'completed' }))
  expect(await journal.list()).toMatchObject([{ run: 'run', state: 'completed' }])
})

test('a run that has lost its last entries is listed as damaged, among others that are not', async () => {
  const { journal, lease, path } = await begun()
  await store(journal, sampleRun('sound', { end: 'completed' }))
  await journal.close()
  const old = `${path}.old`
  copyFileSync(path, old)
  const again = openJournal(path)
  const held = await again.acquire({ ...lease, owner: 'me', ttlMs: 60_000, now: 0 })
  await again.append(held, 1, rest.slice(0, 2))
  await again.close()
  copyFileSync(old, path)
  const restored = openJournal(path)
  const found = await restored.list()
  expect(found.map(({ run, damage }) => [run, damage])).toEqual([
    ['sound', undefined],
    ['run', expect.stringContaining('stored up to entry 3, and the last 2 are gone')],
  ])
  expect(found[1]?.damage).toContain('fork the run at 1')
})

const vanishings: readonly (readonly [what: string, vanish: (folder: string, path: string) => void])[] = [
  ['its folder was deleted', (folder) => rmSync(folder, { recursive: true })],
  ['its file was deleted', (_, path) => rmSync(path)],
  ['its folder was moved', (folder) => renameSync(folder, `${folder}-moved`)],
]

test.each(vanishings)('an open journal of which %s stores and answers nothing more', async (_, vanish) => {
  const { journal, lease, path, folder } = await begun()
  vanish(folder, path)
  const gone = { code: 'STORE_FAILED', message: expect.stringContaining(`${path} is gone`) as unknown }
  expect(await refused(journal.append(lease, 1, rest))).toMatchObject(gone)
  for (const attempt of [
    () => journal.list(),
    () => journal.summary('run'),
    () => readAll(journal, 'run'),
    () => journal.acquire({ run: 'other', owner: 'me', ttlMs: 1, now: 0 }),
    () => journal.append(lease, 1, rest),
  ])
    expect(await refused(attempt())).toMatchObject(gone)
  expect(existsSync(path)).toBe(false)
})

test('an open journal that was moved and put back goes on', async () => {
  const { journal, lease, folder } = await begun()
  renameSync(folder, `${folder}-moved`)
  await refused(journal.append(lease, 1, rest))
  renameSync(`${folder}-moved`, folder)
  await journal.append(lease, 1, rest)
  expect((await readAll(journal, 'run')).length).toBe(1 + rest.length)
})

test('an open journal whose file was replaced by that of another store refuses everything, and leaves that one alone', async () => {
  const { journal, lease, path, folder } = await begun()
  const other = openJournal(join(folder, 'other.db'))
  await store(other, sampleRun('theirs', { end: 'completed' }))
  await other.close()
  renameSync(join(folder, 'other.db'), path)
  const bytes = readFileSync(path)
  for (let round = 0; round < 2; round++) {
    const error = await refused(journal.append(lease, 1, rest))
    expect([error.code, error.message]).toEqual(['STORE_FAILED', expect.stringContaining('was replaced')])
    expect((await refused(journal.list())).code).toBe('STORE_FAILED')
  }
  expect(readFileSync(path).equals(bytes)).toBe(true)
})

test('a log that is deleted while the journal is open is reported, and nothing that was acknowledged is lost', async () => {
  const { journal, lease, path } = await begun()
  rmSync(`${path}-wal`)
  const error = await refused(journal.append(lease, 1, rest))
  expect([error.code, error.message]).toEqual(['STORE_FAILED', expect.stringContaining('-wal was deleted')])
  await journal.close()
  const again = openJournal(path)
  expect((await readAll(again, 'run'))[0]).toEqual(first)
  expect((await again.list())[0]?.damage).toBe(undefined)
})

test('memory and database whose folder was deleted store and answer nothing more', async () => {
  const folder = join(newFolder(), 'store')
  mkdirSync(folder)
  const data = sqliteData({ path: join(folder, 'memory.db') })
  const database = data.database()
  await database.write('c', 'k', 1)
  rmSync(folder, { recursive: true })
  for (const attempt of [() => database.write('c', 'k', 2), () => database.read('c', 'k')])
    expect((await refused(attempt())).message).toContain('is gone')
  expect(existsSync(dirname(data.path))).toBe(false)
  await data.close()
})
