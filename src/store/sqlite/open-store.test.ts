import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readAll } from '../../journal/index.ts'
import { sampleRun } from '../../testing/index.ts'
import { keyRing, newKey, openStore } from './index.ts'
import { newFolder, refused, store } from './sqlite.fixture.ts'

test('a store is made with its folder and found again', async () => {
  const dir = join(newFolder(), 'deep', '.mandate')
  const { journal, path } = await openStore({ dir })
  expect(path).toBe(join(dir, 'journal.db'))
  await store(journal, sampleRun('run'))
  await journal.close()
  const again = await openStore({ dir })
  onTestFinished(() => again.journal.close())
  expect(await again.journal.list()).toHaveLength(1)
})

test('a folder that cannot be made is named', async () => {
  const file = join(newFolder(), 'a-file')
  writeFileSync(file, '')
  const error = await refused(openStore({ dir: join(file, 'store') }))
  expect([error.code, error.message]).toEqual(['STORE_FAILED', expect.stringContaining('cannot be made')])
})

test('a folder where the file should be is named', async () => {
  const dir = newFolder()
  mkdirSync(join(dir, 'journal.db'))
  const error = await refused(openStore({ dir }))
  expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringContaining('is a folder')])
})

test('a file that is not a database is named in the error', async () => {
  const dir = newFolder()
  writeFileSync(join(dir, 'journal.db'), 'x'.repeat(5_000))
  expect((await refused(openStore({ dir }))).message).toContain('is not a database')
})

test('keys are changed for runs and records alike, after which the new key alone is enough', async () => {
  const dir = newFolder()
  const [first, second] = [newKey(), newKey()]
  const before = await openStore({ dir, encryption: keyRing(`k1:${first}`) })
  await store(before.journal, sampleRun('run'))
  await before.data.database().write('notes', 'n1', { text: 'kept' })
  await before.close()
  const both = await openStore({ dir, encryption: keyRing(`k2:${second},k1:${first}`) })
  expect(await both.rekey()).toMatchObject({ hostKey: 'k2', rewrapped: 2 })
  await both.data.database().write('notes', 'n2', { text: 'new' })
  await both.close()
  const after = await openStore({ dir, encryption: keyRing(`k2:${second}`) })
  expect(await readAll(after.journal, 'run')).toHaveLength(1)
  expect(await after.data.database().read('notes', 'n1')).toEqual({ text: 'kept' })
  expect(await after.data.database().read('notes', 'n2')).toEqual({ text: 'new' })
  await after.close()
})
