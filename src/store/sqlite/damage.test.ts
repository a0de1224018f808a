import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readAll, verifyEntries } from '../../journal/index.ts'
import type { Entry } from '../../journal/index.ts'
import { sampleRun, sampleStart, sealAll } from '../../testing/index.ts'
import { keyRing } from '../encryption/index.ts'
import { newPath, openJournal, refused, store, tamper } from './sqlite.fixture.ts'

const entries = sampleRun('run', { notes: 8, end: 'completed' })

/** A closed database with one run in it. */
async function stored(): Promise<string> {
  const path = newPath()
  const journal = openJournal(path)
  await store(journal, entries)
  await journal.close()
  return path
}

const take = { run: 'run', owner: 'next', ttlMs: 1, now: 9 }

const changes = [
  `data = replace(data, '"value":4', '"value":5')`,
  `data = 'no JSON'`,
  `data = NULL`,
  `salt = 'ff'`,
  `salt = NULL`,
  `at = at + 1`,
  `type = 'run-resume'`,
  `key = '"other"'`,
  `key = NULL`,
  `data_hash = upper(data_hash)`,
  `prev = hash`,
  `hash = prev`,
]

test('a change to any field of a stored entry is refused with its number, and what is before it is read', async () => {
  const path = newPath()
  const journal = openJournal(path)
  for (const index of changes.keys()) await store(journal, sampleRun(`run_${index}`, { notes: 8, end: 'completed' }))
  await journal.close()
  for (const [index, change] of changes.entries())
    tamper(path, `UPDATE entries SET ${change} WHERE run = 'run_${index}' AND seq = 5`)
  const damaged = openJournal(path)
  for (const [index, change] of changes.entries()) {
    const seen: Entry[] = []
    const error = await refused(
      (async () => {
        for await (const entry of damaged.read(`run_${index}`)) seen.push(entry)
      })(),
    )
    expect([error.code, error.info], change).toMatchObject(['JOURNAL_DAMAGED', { run: `run_${index}`, seq: 5 }])
    expect(seen, change).toEqual(sampleRun(`run_${index}`, { notes: 8, end: 'completed' }).slice(0, 4))
  }
})

test('an entry of a newer version is refused, and nothing is changed', async () => {
  const path = await stored()
  tamper(path, 'UPDATE entries SET v = 2 WHERE seq = 3')
  expect((await refused(readAll(openJournal(path), 'run'))).code).toBe('VERSION_UNSUPPORTED')
})

test('a hole is refused with its number', async () => {
  const path = await stored()
  tamper(path, 'DELETE FROM entries WHERE seq = 4')
  expect((await refused(readAll(openJournal(path), 'run'))).info).toMatchObject({ seq: 4 })
})

test('missing last entries are found by what the summary says', async () => {
  const path = await stored()
  rmSync(`${path}.heads`)
  tamper(path, 'DELETE FROM entries WHERE seq > 7')
  expect((await refused(readAll(openJournal(path), 'run'))).info).toMatchObject({ seq: 8 })
  expect((await refused(openJournal(path).acquire(take))).info).toMatchObject({ seq: 8 })
})

test('a summary that cannot be read is folded again from the entries', async () => {
  const path = await stored()
  const before = await openJournal(path).summary('run')
  tamper(path, `UPDATE runs SET summary = 'x' || summary`)
  // Whether it was imported was in the line alone: until that is known, nothing in it gives authority.
  const again = { ...before, imported: { from: 1, to: before!.head.seq } }
  expect(await openJournal(path).summary('run')).toEqual(again)
  expect(await openJournal(path).list()).toEqual([again])
})

test('a summary that claims another head stops writers', async () => {
  const path = await stored()
  tamper(path, `UPDATE runs SET summary = replace(summary, '${entries.at(-1)!.hash}', '${entries[0]!.hash}')`)
  expect((await refused(openJournal(path).acquire(take))).code).toBe('JOURNAL_DAMAGED')
})

test('an older copy of the database is refused where the heads know better', async () => {
  const path = newPath()
  const first = openJournal(path)
  const lease = await first.acquire({ ...take, now: 0 })
  await first.append(lease, 0, entries.slice(0, 6))
  await first.close()
  copyFileSync(path, `${path}.old`)
  const second = openJournal(path)
  const again = await second.acquire(take)
  await second.append(again, 6, entries.slice(6))
  await second.close()
  copyFileSync(`${path}.old`, path)
  const journal = openJournal(path)
  const error = await refused(journal.acquire(take))
  expect(error.code).toBe('JOURNAL_DAMAGED')
  expect(error.message).toContain('damaged at entry 7')
  expect(error.message).toContain('the last 4 are gone')
  expect((await refused(readAll(journal, 'run'))).info).toMatchObject({ seq: 7 })
  const known = await journal.knownHead('run')
  expect(known?.seq).toBe(10)
  expect(verifyEntries('run', entries.slice(0, 6), known).problems).toHaveLength(1)
  // The prefix stays readable, for a fork or an export.
  const prefix: number[] = []
  for await (const entry of journal.read('run')) if (prefix.push(entry.seq) === 6) break
  expect(prefix).toHaveLength(6)
})

test('a run that was rewritten with valid hashes is refused', async () => {
  const path = await stored()
  const other = sampleRun('run', { notes: 8, end: 'completed', start: { name: 'forged' } })
  const forged = newPath()
  const journal = openJournal(forged)
  await store(journal, other)
  await journal.close()
  tamper(
    path,
    `ATTACH '${forged}' AS forged; DELETE FROM entries; DELETE FROM runs;
    INSERT INTO entries SELECT * FROM forged.entries; INSERT INTO runs SELECT * FROM forged.runs;`,
  )
  expect((await refused(openJournal(path).acquire(take))).message).toContain('not the one that was stored')
  expect((await refused(readAll(openJournal(path), 'run'))).info).toMatchObject({ seq: 10 })
})

test('a file of a newer schema is refused clearly and left as it is', async () => {
  const path = await stored()
  tamper(path, 'PRAGMA user_version = 99')
  const before = readFileSync(path)
  const error = await refused(openJournal(path).list())
  expect([error.code, error.message]).toEqual(['VERSION_UNSUPPORTED', expect.stringContaining('Upgrade mandate')])
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('a database of another program is refused and left as it is', async () => {
  const path = newPath()
  tamper(path, 'CREATE TABLE customers (name TEXT)')
  const before = readFileSync(path)
  const error = await refused(openJournal(path).list())
  expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringContaining('another program')])
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('a file that is not a database is refused and left unchanged', async () => {
  const path = newPath()
  writeFileSync(path, 'Dear diary, today I was mistaken for a database.')
  const error = await refused(openJournal(path).list())
  expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringContaining('is not a database')])
  expect(statSync(path).size).toBe(48)
})

test('a journal with damaged first bytes is reported as such', async () => {
  const path = await stored()
  const bytes = readFileSync(path)
  bytes[3] = 0
  writeFileSync(path, bytes)
  expect((await refused(openJournal(path).list())).code).toBe('JOURNAL_DAMAGED')
})

test('a journal that was emptied is refused; a deleted one starts again', async () => {
  const path = await stored()
  writeFileSync(path, '')
  const error = await refused(openJournal(path).list())
  expect([error.code, error.message]).toEqual(['JOURNAL_DAMAGED', expect.stringContaining('remembers runs in it')])
  rmSync(path)
  const journal = openJournal(path)
  await store(journal, entries)
  expect(await readAll(journal, 'run')).toEqual(entries)
})

test('after a refusal to open, the next call looks again', async () => {
  const path = await stored()
  const bytes = readFileSync(path)
  writeFileSync(path, 'not now')
  const journal = openJournal(path)
  await refused(journal.list())
  writeFileSync(path, bytes)
  expect(await journal.list()).toHaveLength(1)
})

test('a run of which nothing can be read harms no list', async () => {
  const path = await stored()
  const journal = openJournal(path)
  await store(journal, sampleRun('other', { notes: 1, start: { name: 'mine', sessionId: 's9' } }))
  await journal.close()
  tamper(path, `UPDATE runs SET summary = 'x' WHERE run = 'other'; DELETE FROM entries WHERE run = 'other'`)
  const found = await openJournal(path).list()
  expect(found.map(({ run }) => run).toSorted()).toEqual(['other', 'run'])
  expect(found.find(({ run }) => run === 'other')).toMatchObject({ name: 'mine', sessionId: 's9', state: 'running' })
  await refused(openJournal(path).acquire({ ...take, run: 'other' }))
})

/** Takes a file back to what an older build would have left. */
const OLDER = `
  DROP INDEX runs_by_name; DROP INDEX runs_by_waiting; DROP INDEX runs_by_timer; ALTER TABLE runs DROP COLUMN waiting_at;
  CREATE INDEX runs_by_wake ON runs (wake_at) WHERE wake_at IS NOT NULL;
  UPDATE runs SET summary = json_remove(summary, '$.waiting');
  DROP TABLE blobs; DROP TABLE run_blobs;
  DELETE FROM store WHERE name = 'waiting'; PRAGMA user_version = 3`

test.for([undefined, keyRing(`k1:${Buffer.alloc(32, 1).toString('base64')}`)])(
  'a file of an older build says what waits in it, sealed or not, one damaged run apart',
  async (encryption) => {
    const path = newPath()
    const call = { kind: 'tool', name: 't', input: {}, hash: 'h', asked: 'h', rule: 'r', text: 'why', expiresAt: 9_000 }
    const journal = openJournal(path, { encryption })
    const ask = { type: 'approval-request', key: 'k', data: { ...call, reason: 'approval' } } as const
    for (const run of ['a', 'b', 'c'])
      await store(journal, sealAll(run, [{ type: 'run-start', data: sampleStart() }, ask]))
    await store(journal, sampleRun('d', { notes: 1 }))
    await journal.close()
    tamper(path, `${OLDER}; UPDATE entries SET data = 'x', sealed = NULL WHERE run = 'b' AND seq = 2`)
    const again = openJournal(path, { encryption })
    const waiting = await again.list({ waiting: true, order: 'waiting' })
    expect(waiting.map(({ run }) => run).filter((run) => run !== 'b')).toEqual(['a', 'c'])
    expect((await again.summary('a'))?.waiting).toEqual([{ seq: 2, at: 2, reason: 'approval' }])
    expect((await again.summary('a'))?.imported).toBeUndefined()
  },
)

test('a log that is lost the moment after a commit is noticed, whether the run rests or goes on', async () => {
  for (const end of ['completed', undefined] as const) {
    const path = newPath()
    await store(openJournal(path), sampleRun('run', { notes: 2, end }))
    // As a process that is killed now leaves it, on a disk that loses the log.
    const copy = newPath()
    copyFileSync(path, copy)
    copyFileSync(`${path}.heads`, `${copy}.heads`)
    const error = await refused(openJournal(copy).acquire(take))
    expect([error.code, error.info]).toMatchObject(['JOURNAL_DAMAGED', { run: 'run', seq: 1 }])
  }
})
