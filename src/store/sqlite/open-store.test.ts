import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sampleRun } from '../../testing/index.ts'
import { openStore } from './index.ts'
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

test('a file that is no database is named', async () => {
  const dir = newFolder()
  writeFileSync(join(dir, 'journal.db'), 'x'.repeat(5_000))
  expect((await refused(openStore({ dir }))).message).toContain('is not a database')
})
