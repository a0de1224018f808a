import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { manualClock } from '../../../core/index.ts'
import { sampleRun } from '../../../testing/index.ts'
import { readAll } from '../../../journal/index.ts'
import { openStore, sqliteData, sqliteDatabase } from '../index.ts'
import type { SqliteData, SqliteDataOptions } from './sqlite-data.ts'
import { newFolder, newPath, openJournal, refused, store, tamper } from '../sqlite.fixture.ts'

function openData(path: string, options: Partial<SqliteDataOptions> = {}): SqliteData {
  const data = sqliteData({ ...options, path })
  onTestFinished(() => data.close())
  return data
}

test('journal, memory, database and prompts share one file', async () => {
  const path = newPath()
  const journal = openJournal(path)
  const data = openData(path)
  await Promise.all([
    store(journal, sampleRun('run', { notes: 5, end: 'completed' })),
    data.memory().append('s', 1),
    data.database().write('c', 'k', { text: 'walrus' }),
    data.prompts().put({ id: 'p', text: 'Hello {{name}}' }),
  ])
  expect(await readAll(journal, 'run')).toHaveLength(7)
  expect(await data.memory().read('s')).toEqual([1])
  expect(await data.database().search('walrus')).toHaveLength(1)
  expect(await data.memory().search('walrus')).toEqual([])
  expect((await data.prompts().render('p', { name: 'Ada' })).text).toBe('Hello Ada')
})

test('one who closes leaves the others at work; the store closes for all', async () => {
  const data = openData(newPath())
  const [first, second] = [data.database(), data.database()]
  await first.write('c', 'k', 1)
  await first.close()
  expect((await refused(first.read('c', 'k'))).code).toBe('CLOSED')
  expect(await second.read('c', 'k')).toBe(1)
  await data.close()
  expect((await refused(second.read('c', 'k'))).code).toBe('CLOSED')
})

test('the store of a folder has them too, and makes their file when it is first used', async () => {
  const dir = newFolder()
  const opened = await openStore({ dir })
  onTestFinished(() => opened.close())
  expect(existsSync(join(dir, 'memory.db'))).toBe(false)
  await opened.data.database().write('c', 'k', 1)
  expect(existsSync(join(dir, 'memory.db'))).toBe(true)
})

test('four processes write one file at once, and everything is there and found', async () => {
  const path = newPath()
  const script = fileURLToPath(new URL('data-writer.fixture.ts', import.meta.url))
  const run = promisify(execFile)
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => run(process.execPath, [script, path, name, '50'])))
  const data = openData(path)
  expect(await data.database().query('all', {})).toHaveLength(200)
  expect((await data.database().search('word7')).map(({ key }) => key).toSorted()).toEqual(['a/7', 'b/7', 'c/7', 'd/7'])
  expect(await data.memory().read('stream')).toHaveLength(20)
  expect(await data.database().search('', { vector: [1, 1], topK: 4 })).toHaveLength(4)
}, 30_000)

test('what was acknowledged survives a process that is killed, with its words and vector', async () => {
  const path = newPath()
  const script = fileURLToPath(new URL('data-killed.fixture.ts', import.meta.url))
  const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const piece of child.stdout) {
    said += String(piece)
    if (said.split('\n').length > 40) child.kill('SIGKILL')
  }
  const acknowledged = said.slice(0, said.lastIndexOf('\n')).split('\n').map(Number)
  const data = openData(path)
  const stream = await data.memory().read('stream')
  for (const number of acknowledged) {
    expect(stream).toContain(number)
    expect((await data.database().search(`word${number}`))[0]?.key).toBe(`k${number}`)
  }
  const { length } = await data.database().query('all', {})
  expect(await data.database().search('', { vector: [1, 1], topK: 10_000 })).toHaveLength(length)
}, 30_000)

test('a file that is not ours, or of a later build, is refused and left as it is', async () => {
  const folder = newFolder()
  const foreign = join(folder, 'foreign.db')
  const other = new DatabaseSync(foreign)
  other.exec('CREATE TABLE theirs (x)')
  other.close()
  const text = join(folder, 'text.db')
  writeFileSync(text, 'not a database at all, but long enough to look at')
  const later = join(folder, 'later.db')
  const data = sqliteData({ path: later })
  await data.open()
  await data.close()
  tamper(later, `UPDATE store SET value = '99' WHERE name = 'data'`)
  const codeOf = async (path: string): Promise<string> => (await refused(openData(path).database().read('c', 'k'))).code
  expect(await codeOf(foreign)).toBe('CONFIG_INVALID')
  expect(await codeOf(text)).toBe('CONFIG_INVALID')
  expect(await codeOf(later)).toBe('VERSION_UNSUPPORTED')
  expect(await codeOf(join(folder, 'nowhere', 'x.db'))).toBe('STORE_FAILED')
  expect(readFileSync(text, 'utf8')).toContain('not a database')
})

test('options that cannot be meant are refused', () => {
  for (const path of ['', ':memory:', 'a\0b']) expect(() => sqliteData({ path })).toThrow('`path`')
  expect(() => sqliteData({ path: 'x.db', vectorBytes: -1 })).toThrow('`vectorBytes`')
  expect(() => sqliteDatabase({ path: 'x.db', maxCount: 0 })).toThrow('`maxCount`')
})

test('a full file refuses writes, keeps what it has, and takes more when there is room again', async () => {
  const data = openData(newPath(), { maxFileBytes: 600_000 })
  const database = data.database()
  await database.write('c', 'small', 1)
  const attempts = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => database.write('c', `big${index}`, 'x'.repeat(100_000))),
  )
  const failed = attempts.filter((attempt) => attempt.status === 'rejected')
  expect(failed.length).toBeGreaterThan(0)
  for (const { reason } of failed) expect(reason).toMatchObject({ code: 'DISK_FULL' })
  expect(await database.read('c', 'small')).toBe(1)
  for (const { key } of await database.query('c', {})) if (key !== 'small') await database.delete('c', key)
  await database.write('c', 'more', 'x'.repeat(100_000))
  expect((await database.query('c', {})).map(({ key }) => key)).toEqual(['more', 'small'])
})

test('vectors that may not be kept at hand are read from the file, and found all the same', async () => {
  const path = newPath()
  const entries = Array.from({ length: 300 }, (_, index) => ({
    key: `k${index}`,
    value: index,
    vector: [Math.sin(index), Math.cos(index * 3), Math.sin(index * 7)],
  }))
  const near = openData(path).database()
  await near.writeMany('v', entries)
  const far = openData(path, { vectorBytes: 0 }).database()
  const asked = { vector: [0.3, -0.2, 0.9], topK: 20 }
  expect(await far.search('', asked)).toEqual(await near.search('', asked))
  await near.delete('v', (await near.search('', asked))[0]!.key)
  expect(await far.search('', asked)).toEqual(await near.search('', asked))
})

test('what others delete while vectors are at hand is not found any more, however much it is', async () => {
  const path = newPath()
  const [one, two] = [openData(path).database(), openData(path).database()]
  await one.writeMany(
    'v',
    Array.from({ length: 500 }, (_, index) => ({ key: `k${index}`, value: index, vector: [1, index] })),
  )
  expect(await two.search('', { vector: [1, 0], topK: 5 })).toHaveLength(5)
  await one.clear('v')
  expect(await two.search('', { vector: [1, 0], topK: 5 })).toEqual([])
  await one.write('v', 'new', 1, { vector: [0, 1] })
  expect((await two.search('', { vector: [1, 0], topK: 5 })).map(({ key }) => key)).toEqual(['new'])
})

test('words are found in a small namespace beside a large one, and in a small collection beside a large one', async () => {
  const data = openData(newPath())
  const [large, small] = [data.database({ namespace: 'large' }), data.database({ namespace: 'small' })]
  const many = Array.from({ length: 300 }, (_, index) => ({ key: `k${index}`, value: `a common walrus ${index}` }))
  await large.writeMany('c', many)
  await large.writeMany('few', many.slice(0, 3))
  await small.writeMany('c', many.slice(0, 5))
  expect(await large.search('walrus', { topK: 20 })).toHaveLength(20)
  expect(await large.search('walrus', { topK: 20, collection: 'few' })).toHaveLength(3)
  expect(await small.search('common walrus', { topK: 20 })).toHaveLength(5)
  expect(await large.search('walrus', { topK: 400 })).toHaveLength(303)
})

test('a backup holds everything as of one moment, and never overwrites', async () => {
  const path = newPath()
  const data = openData(path)
  await data.database().write('c', 'k', { text: 'walrus' }, { vector: [1, 0] })
  const copy = join(dirname(path), 'copy.db')
  await data.backup(copy)
  await data.database().write('c', 'later', 1)
  expect((await refused(data.backup(copy))).code).toBe('STORE_FAILED')
  const restored = openData(copy).database()
  expect((await restored.query('c', {})).map(({ key }) => key)).toEqual(['k'])
  expect(await restored.search('walrus', { vector: [1, 0] })).toHaveLength(1)
})

test('after trimming, nothing of what went is in any file: not in the index of words, not in the log', async () => {
  const path = newPath()
  const clock = manualClock(1_000_000)
  const data = openData(path)
  const database = data.database({ clock })
  await database.writeMany(
    'c',
    Array.from({ length: 200 }, (_, index) => ({ key: `k${index}`, value: `ordinary text ${index}` })),
  )
  await database.write('c', 'planted', { text: 'Zanzibarquartz' })
  await database.write('c', 'planted', { text: 'replaced' })
  const holds = (): boolean =>
    readdirSync(dirname(path)).some((name) => /zanzibarquartz/i.test(readFileSync(join(dirname(path), name), 'latin1')))
  expect(holds()).toBe(true)
  expect(await database.trim()).toEqual({ count: 0, bytes: 0 })
  expect(holds()).toBe(false)
  expect(await database.search('ordinary 7')).not.toHaveLength(0)
})
