import { cpSync, existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { exportRun, importRun, readAll, verifyEntries } from '../../journal/index.ts'
import type { Journal, Signal } from '../../journal/index.ts'
import { sampleRun, sealAll } from '../../testing/index.ts'
import { keyRing, newKey } from './index.ts'
import { newPath, openJournal, refused, store, tamper } from './sqlite.fixture.ts'

const PLANTED = 'planted-7f3a-plaintext'
const ring = keyRing(`k1:${newKey()}`)

const signal: Signal = {
  id: 'signal-1',
  type: 'steer',
  at: 5,
  by: { id: 'me', roles: [] },
  data: { text: PLANTED },
}

/** A run that says the planted text in a note, in its input and in its output. */
function tellingRun(run = 'run'): ReturnType<typeof sampleRun> {
  const [start] = sampleRun(run, { start: { input: { secret: PLANTED } } })
  const rest = [
    { type: 'note', key: 'note:1', data: { name: 'n', value: PLANTED.repeat(300) } },
    { type: 'run-end', data: { state: 'completed', output: PLANTED, activeMs: 1, spent: {} } },
  ] as const
  return [start!, ...sealAll(run, rest, start)]
}

/** Every file of the store that holds any of the given text. */
function filesWith(path: string, text: string): string[] {
  const folder = dirname(path)
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text))
}

async function lines(journal: Journal): Promise<string[]> {
  const found: string[] = []
  for await (const line of exportRun(journal, 'run')) found.push(line)
  return found
}

test('no file of an encrypted store shows what was said: not the log, not the database, not a copy, not a dump', async () => {
  const path = newPath()
  const journal = openJournal(path, { encryption: ring })
  await store(journal, tellingRun())
  await journal.signal('run', signal)
  expect(existsSync(`${path}-wal`)).toBe(true)
  expect(filesWith(path, PLANTED)).toEqual([])
  const raw = new DatabaseSync(path)
  raw.exec(`VACUUM INTO '${path}.copy'`)
  const tables = raw.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  const dump = tables.map(({ name }) => JSON.stringify(raw.prepare(`SELECT * FROM "${String(name)}"`).all())).join('\n')
  raw.close()
  expect(dump).toContain('run-start')
  expect(dump).not.toContain(PLANTED)
  await journal.close()
  expect(readdirSync(dirname(path)).toSorted()).toEqual(['journal.db', 'journal.db.copy', 'journal.db.heads'])
  expect(filesWith(path, PLANTED)).toEqual([])
  // The same search finds it where there are no keys: it would have been seen.
  const plain = openJournal(newPath())
  await store(plain, tellingRun())
  await plain.close()
  expect(filesWith(plain.path, PLANTED)).toEqual(['journal.db'])
})

test('with its keys the store gives back every byte, and exports the same lines as one without', async () => {
  const sealed = openJournal(newPath(), { encryption: async () => ring })
  const plain = openJournal(newPath())
  for (const journal of [sealed, plain]) {
    await store(journal, tellingRun())
    await journal.signal('run', signal)
  }
  expect(await readAll(sealed, 'run')).toEqual(tellingRun())
  expect(await sealed.signals('run')).toEqual([signal])
  expect(await lines(sealed)).toEqual(await lines(plain))
  const moved = openJournal(newPath(), { encryption: keyRing(`other:${newKey()}`) })
  await importRun(moved, await lines(plain), 0)
  expect(await lines(moved)).toEqual(await lines(plain))
})

test('without keys, with others, or with wrong bytes under the right id, the store says which key it wants and stays as it is', async () => {
  const path = newPath()
  const journal = openJournal(path, { encryption: ring })
  await store(journal, tellingRun())
  await journal.close()
  const before = readFileSync(path)
  const attempts = [
    [undefined, 'KEY_MISSING', /"k1".*MANDATE_KEYS/u],
    [keyRing(`k2:${newKey()}`), 'KEY_MISSING', /"k1".*Add it/u],
    [keyRing(`k1:${newKey()}`), 'KEY_WRONG', /"k1"/u],
  ] as const
  for (const [encryption, code, message] of attempts) {
    const error = await refused(openJournal(path, { encryption }).open())
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)])
    expect(error.message).toContain(path)
  }
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('a store that was begun without keys is not opened with them', async () => {
  const path = newPath()
  const journal = openJournal(path)
  await store(journal, sampleRun('run'))
  await journal.close()
  const error = await refused(openJournal(path, { encryption: ring }).open())
  expect([error.code, error.message]).toEqual(['SEAL_BROKEN', expect.stringContaining('import it into a new store')])
  expect(await readAll(openJournal(path), 'run')).toHaveLength(1)
})

test('a process that opened the store before it had keys can neither write plain text into it nor read it as erased', async () => {
  const path = newPath()
  const early = openJournal(path)
  await early.open()
  await store(openJournal(path, { encryption: ring }), tellingRun())
  expect((await refused(store(early, sampleRun('other')))).message).toContain('encrypted')
  expect((await refused(early.signal('run', signal))).message).toContain('encrypted')
  expect((await refused(readAll(early, 'run'))).code).toBe('KEY_MISSING')
})

test.for([
  [
    'a changed byte',
    `UPDATE entries SET sealed = CAST(substr(sealed, 1, length(sealed) - 2) || x'0000' AS BLOB) WHERE seq = 2`,
  ],
  ['the row of another place', 'UPDATE entries SET sealed = (SELECT sealed FROM entries WHERE seq = 1) WHERE seq = 2'],
  ['plain data', `UPDATE entries SET sealed = NULL, salt = 'aa', data = '{}' WHERE seq = 2`],
  ['no envelope', `UPDATE entries SET sealed = x'0102' WHERE seq = 2`],
])('%s is a damaged entry with its number, and what is before it is read', async ([, sql]) => {
  const path = newPath()
  const journal = openJournal(path, { encryption: ring })
  await store(journal, tellingRun())
  await journal.close()
  tamper(path, sql!)
  const damaged = openJournal(path, { encryption: ring })
  const error = await refused(readAll(damaged, 'run'))
  expect([error.code, error.info]).toMatchObject(['JOURNAL_DAMAGED', { run: 'run', seq: 2 }])
  const first = await damaged.read('run')[Symbol.asyncIterator]().next()
  expect(first.value).toEqual(tellingRun()[0])
})

test('a signal that was put there by someone without the key is refused', async () => {
  const path = newPath()
  const journal = openJournal(path, { encryption: ring })
  await store(journal, tellingRun())
  await journal.signal('run', signal)
  await journal.close()
  tamper(path, `UPDATE signals SET sealed = NULL, content = '${JSON.stringify({ ...signal, type: 'cancel' })}'`)
  expect((await refused(openJournal(path, { encryption: ring }).signals('run'))).code).toBe('SEAL_BROKEN')
})

test('after rotation old and new entries are read with the new key alone, and no row was written again', async () => {
  const path = newPath()
  const [first, second] = [newKey(), newKey()]
  const old = openJournal(path, { encryption: keyRing(`k1:${first}`) })
  await store(old, tellingRun('old'))
  await old.close()
  const rows = (): unknown => {
    const raw = new DatabaseSync(path)
    const found = raw.prepare(`SELECT sealed FROM entries WHERE run = 'old' ORDER BY seq`).all()
    raw.close()
    return found
  }
  const before = rows()
  const both = openJournal(path, { encryption: keyRing(`k2:${second},k1:${first}`) })
  expect(await both.rekey()).toMatchObject({ hostKey: 'k2', rewrapped: 1 })
  await store(both, tellingRun('new'))
  await both.close()
  expect(rows()).toEqual(before)
  const now = openJournal(path, { encryption: keyRing(`k2:${second}`) })
  expect(await readAll(now, 'old')).toEqual(tellingRun('old'))
  expect(await readAll(now, 'new')).toEqual(tellingRun('new'))
  expect((await refused(openJournal(path, { encryption: keyRing(`k1:${first}`) }).open())).message).toContain('"k2"')
})

test('an open store continues to read while its keys are changed', async () => {
  const path = newPath()
  const [here, there] = [openJournal(path, { encryption: ring }), openJournal(path, { encryption: ring })]
  await store(here, tellingRun('one'))
  await there.rekey()
  await store(there, tellingRun('two'))
  expect(await readAll(here, 'two')).toEqual(tellingRun('two'))
  await store(here, tellingRun('three'))
  expect(await readAll(there, 'three')).toEqual(tellingRun('three'))
  expect((await refused(openJournal(newPath()).rekey())).code).toBe('CONFIG_INVALID')
})

test('a chain is verified without any key; nothing of it can be read or added', async () => {
  const path = newPath()
  const journal = openJournal(path, { encryption: ring })
  await store(journal, tellingRun())
  await journal.signal('run', signal)
  await journal.close()
  const sealed = openJournal(path, { withoutKeys: true })
  const entries = await readAll(sealed, 'run')
  expect(verifyEntries('run', entries)).toMatchObject({ ok: true, entries: 3 })
  expect(entries.every(({ salt, data }) => salt === null && data === null)).toBe(true)
  expect(await sealed.signals('run')).toEqual([])
  expect((await refused(store(sealed, sampleRun('other')))).message).toContain('encrypted')
  await sealed.close()
  tamper(path, `UPDATE entries SET at = at + 1 WHERE seq = 2`)
  expect((await refused(readAll(openJournal(path, { withoutKeys: true }), 'run'))).code).toBe('JOURNAL_DAMAGED')
})

test('erasure works on an encrypted store, and a copy of its folder opens with the same keys', async () => {
  const path = newPath()
  const journal = openJournal(path, { encryption: ring })
  await store(journal, tellingRun('gone'))
  await store(journal, tellingRun())
  expect(await journal.erase('gone')).toBe(3)
  expect((await readAll(journal, 'gone')).every(({ salt }) => salt === null)).toBe(true)
  await journal.close()
  const copy = newPath()
  cpSync(dirname(path), dirname(copy), { recursive: true })
  expect(await readAll(openJournal(copy, { encryption: ring }), 'run')).toEqual(tellingRun())
})

test('keys that cannot be fetched are an error of the call, and are fetched again by the next', async () => {
  let asked = 0
  const journal = openJournal(newPath(), {
    encryption: () => {
      asked += 1
      if (asked === 1) throw new Error('the key service is down')
      return ring
    },
  })
  await expect(journal.open()).rejects.toThrow('the key service is down')
  await journal.open()
  await Promise.all([store(journal, sampleRun('a')), store(journal, sampleRun('b'))])
  expect(asked).toBe(2)
})
