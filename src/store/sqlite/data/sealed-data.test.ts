import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keyRing, newKey, sqliteData } from '../index.ts'
import type { SqliteData, SqliteDataOptions } from './sqlite-data.ts'
import { newPath, openJournal, refused, tamper } from '../sqlite.fixture.ts'

const encryption = keyRing(`k1:${newKey()}`)
const PLANTED = 'Zanzibarquartz'

function openData(path: string, options: Partial<SqliteDataOptions> = {}): SqliteData {
  const data = sqliteData({ ...options, path })
  onTestFinished(() => data.close())
  return data
}

async function fill(data: SqliteData): Promise<void> {
  await data.database().write('notes', 'n1', { text: `${PLANTED} is a word` }, { vector: [1, 2, 3] })
  await data.memory().append('s', `${PLANTED} again`)
  await data.prompts().put({ id: 'p', text: `${PLANTED} {{name}}`, name: PLANTED })
  await data.prompts().label('p', 'production', '1')
}

function filesOf(path: string): string {
  return readdirSync(dirname(path))
    .map((name) => readFileSync(join(dirname(path), name), 'latin1'))
    .join('\n')
}

test('with keys no file shows a value, a word or a prompt, while it is open nor after', async () => {
  const path = newPath()
  const data = openData(path, { encryption })
  await fill(data)
  expect(filesOf(path)).not.toMatch(new RegExp(PLANTED, 'i'))
  expect(await data.database().search(PLANTED)).toHaveLength(1)
  expect(await data.database().search('', { vector: [1, 2, 3] })).toMatchObject([{ key: 'n1' }])
  await data.close()
  expect(filesOf(path)).not.toMatch(new RegExp(PLANTED, 'i'))
  // A vector of length 1, as it would stand there if it were not sealed.
  const bytes = Buffer.from(Float32Array.from([1, 2, 3], (number) => number / Math.sqrt(14)).buffer)
  expect(filesOf(path)).not.toContain(bytes.toString('latin1'))
})

test('searchable keeps the words readable, and only those', async () => {
  const path = newPath()
  const data = openData(path, { encryption, searchable: true })
  await fill(data)
  await data.close()
  expect(filesOf(path)).toContain(PLANTED.toLowerCase())
  expect(filesOf(path)).not.toContain(PLANTED)
})

test('without the key, or with another one, the file does not open', async () => {
  const path = newPath()
  const data = openData(path, { encryption })
  await fill(data)
  await data.close()
  expect((await refused(openData(path).database().read('notes', 'n1'))).code).toBe('KEY_MISSING')
  const other = openData(path, { encryption: keyRing(`k1:${newKey()}`) })
  expect((await refused(other.database().read('notes', 'n1'))).code).toBe('KEY_WRONG')
  const again = openData(path, { encryption: async () => encryption })
  expect(await again.database().read('notes', 'n1')).toEqual({ text: `${PLANTED} is a word` })
})

test('a file that was begun without keys is refused with them', async () => {
  const path = newPath()
  const plain = openData(path)
  await fill(plain)
  await plain.close()
  expect((await refused(openData(path, { encryption }).open())).code).toBe('SEAL_BROKEN')
  expect(await openData(path).memory().read('s')).toEqual([`${PLANTED} again`])
})

test('a file that became an encrypted one while it was open takes nothing plain any more', async () => {
  const path = newPath()
  const plain = openData(path)
  await plain.open()
  await openData(path, { encryption }).open()
  expect((await refused(plain.database().write('c', 'k', PLANTED))).code).toBe('KEY_MISSING')
  expect((await refused(plain.prompts().put({ id: 'p', text: PLANTED }))).code).toBe('KEY_MISSING')
  expect(filesOf(path)).not.toContain(PLANTED)
})

test('a value that was moved to another key does not open there', async () => {
  const path = newPath()
  const data = openData(path, { encryption })
  await data.database().write('c', 'mine', 'secret of mine')
  await data.database().write('c', 'yours', 'yours')
  await data.close()
  tamper(path, `UPDATE records SET sealed = (SELECT sealed FROM records WHERE key = '"mine"') WHERE key = '"yours"'`)
  const again = openData(path, { encryption })
  expect((await refused(again.database().read('c', 'yours'))).code).toBe('SEAL_BROKEN')
  expect(await again.database().read('c', 'mine')).toBe('secret of mine')
})

test('the keys of a file are changed under everyone who has it open', async () => {
  const path = newPath()
  const data = openData(path, { encryption })
  await fill(data)
  const ring = { current: 'k2', keys: { ...encryption.keys, k2: keyRing(`k2:${newKey()}`).keys['k2']! } }
  const journal = openJournal(path, { encryption: ring })
  await journal.rekey()
  const fresh = openData(path, { encryption: { current: 'k2', keys: { k2: ring.keys.k2 } } })
  await fresh.database().write('notes', 'n2', 'new')
  expect(await fresh.database().read('notes', 'n1')).toEqual({ text: `${PLANTED} is a word` })
})
