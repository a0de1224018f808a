import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { dataText, readAll } from '../../../journal/index.ts'
import { sampleRun } from '../../../testing/index.ts'
import { APPLICATION_ID, MIGRATIONS } from './schema.ts'
import { newPath, openJournal, refused, store, tamper } from '../sqlite.fixture.ts'

test('a writer that has appended before is refused once another connection has taken its run', async () => {
  const path = newPath()
  const [here, there] = [openJournal(path), openJournal(path)]
  const entries = sampleRun('run', { notes: 4 })
  const lease = await here.acquire({ run: 'run', owner: 'here', ttlMs: 1, now: 0 })
  await here.append(lease, 0, entries.slice(0, 2))
  await here.append(lease, 2, entries.slice(2, 3))
  const taken = await there.acquire({ run: 'run', owner: 'there', ttlMs: 1, now: 100 })
  expect((await refused(here.append(lease, 3, entries.slice(3)))).code).toBe('LEASE_LOST')
  await there.append(taken, 3, entries.slice(3, 4))
  await there.release(taken)
  const again = await here.acquire({ run: 'run', owner: 'here', ttlMs: 1, now: 200 })
  expect(again.head.seq).toBe(4)
  await here.append(again, 4, entries.slice(4))
  expect(await readAll(there, 'run')).toEqual(entries)
})

test('a run that another connection has changed is looked up again', async () => {
  const path = newPath()
  const journal = openJournal(path)
  const entries = sampleRun('run', { notes: 4 })
  const lease = await journal.acquire({ run: 'run', owner: 'x', ttlMs: 1, now: 0 })
  await journal.append(lease, 0, entries.slice(0, 3))
  tamper(path, `UPDATE leases SET owner = NULL`)
  expect((await refused(journal.append(lease, 3, entries.slice(3)))).code).toBe('LEASE_LOST')
})

test('the summary follows every entry, also those that only move the head', async () => {
  const path = newPath()
  const journal = openJournal(path)
  const entries = sampleRun('run', { notes: 6 })
  const lease = await journal.acquire({ run: 'run', owner: 'x', ttlMs: 1, now: 0 })
  for (const [index, entry] of entries.entries()) {
    await journal.append(lease, index, [entry])
    const head = { seq: entry.seq, hash: entry.hash, at: entry.at }
    expect(await journal.summary('run')).toMatchObject({ state: 'running', head, updatedAt: entry.at })
  }
  const last = entries.at(-1)!.at
  expect(await journal.list({ updatedBefore: last })).toEqual([])
  expect(await openJournal(path).list({ updatedBefore: last + 1 })).toMatchObject([{ head: { seq: entries.length } }])
})

test('what goes wrong with one call leaves those that were asked for together with it alone', async () => {
  const journal = openJournal(newPath())
  const [start, ...rest] = sampleRun('run', { notes: 2 })
  const lease = await journal.acquire({ run: 'run', owner: 'x', ttlMs: 1, now: 0 })
  const answers = await Promise.allSettled([
    journal.append(lease, 0, [start!]),
    journal.list({ state: () => 'running' } as never),
    journal.append({ ...lease, epoch: 99 }, 1, rest),
    journal.append(lease, 1, rest),
  ])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(await readAll(journal, 'run')).toEqual([start, ...rest])
})

test('a file of the first version is taken over with all that it holds', async () => {
  const path = newPath()
  const entries = sampleRun('old', { notes: 3 })
  const modern = openJournal(newPath())
  await store(modern, entries)
  const summary = JSON.stringify(await modern.summary('old'))
  const database = new DatabaseSync(path)
  database.exec(`${MIGRATIONS[0]}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1;`)
  database.exec(`INSERT INTO store VALUES ('id', 'abc')`)
  const insert = database.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  for (const entry of entries) {
    const { run, seq, v, at, type, key, dataHash, prev, hash, salt } = entry
    const text = dataText({ ...entry })
    insert.run(run, seq, v, at, type, key === undefined ? null : JSON.stringify(key), dataHash, prev, hash, salt, text)
  }
  database.prepare(`INSERT INTO runs VALUES ('old', 'running', 'n', 's', NULL, 1, 1, NULL, 1, 1, 0, ?)`).run(summary)
  database.close()
  const journal = openJournal(path)
  expect(await readAll(journal, 'old')).toEqual(entries)
  const longer = sampleRun('old', { notes: 4 })
  const lease = await journal.acquire({ run: 'old', owner: 'x', ttlMs: 1, now: 0 })
  await journal.append(lease, entries.length, longer.slice(entries.length))
  expect(await readAll(journal, 'old')).toEqual(longer)
})
