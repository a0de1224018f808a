import { Client } from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readAll, verifyEntries } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { sampleRun } from '../../src/testing/index.ts'
import { startProxy } from '../servers/proxy.ts'
import type { Proxy } from '../servers/proxy.ts'
import { has } from '../servers/servers.ts'
import { asked, newSchema, openJournal, refused, store } from './postgres.fixture.ts'

/** A schema behind a way that can be cut. */
async function behindProxy(): Promise<{ proxy: Proxy; place: { url: string; schema: string }; direct: string }> {
  const place = await newSchema()
  const url = new URL(place.url)
  const proxy = await startProxy(Number(url.port))
  onTestFinished(() => proxy.close())
  url.port = String(proxy.port)
  return { proxy, place: { url: url.href, schema: place.schema }, direct: place.url }
}

/** Lets answers be lost until so many connections were cut, then no more. */
async function losing(proxy: Proxy, cuts: number): Promise<void> {
  const before = proxy.cuts
  proxy.loseAnswers()
  await vi.waitFor(() => expect(proxy.cuts - before).toBeGreaterThanOrEqual(cuts), { timeout: 10_000, interval: 1 })
  proxy.restore()
}

async function take(journal: Journal, run: string): ReturnType<Journal['acquire']> {
  return journal.acquire({ run, owner: 'tester', ttlMs: 60_000, now: 0 })
}

describe.skipIf(!has('postgres'))('a Postgres journal whose server is not always there', () => {
  test('an append whose answer was lost is there once, and the writer hears that it is', async () => {
    const { proxy, place } = await behindProxy()
    const journal = openJournal(place)
    const entries = sampleRun('run', { notes: 3, end: 'completed' })
    const lease = await take(journal, 'run')
    for (const entry of entries) {
      const losses = losing(proxy, 1)
      await journal.append(lease, entry.seq - 1, [entry])
      await losses
    }
    expect(await readAll(journal, 'run')).toEqual(entries)
  })

  test('a signal and a count whose answers were lost are there once', async () => {
    const { proxy, place } = await behindProxy()
    const journal = openJournal(place)
    await store(journal, sampleRun('run'))
    const losses = losing(proxy, 3)
    const by = { id: 'x', roles: [] }
    expect(await journal.signal('run', { id: 's', type: 'wake', at: 1, by, data: null })).toBe(true)
    await losses
    const more = losing(proxy, 1)
    await journal.addCount('c', 1, 2)
    await more
    expect(await journal.sumCount('c', 0)).toBe(2)
    expect(await journal.signals('run')).toHaveLength(1)
    expect(await journal.signal('run', { id: 's', type: 'wake', at: 1, by, data: null })).toBe(false)
  })

  test('with all connections ended again and again, fifty runs lose and repeat nothing', async () => {
    const place = await newSchema()
    const journal = openJournal(place)
    await journal.open()
    const work = new AbortController()
    const breaking = (async () => {
      const client = new Client({ connectionString: place.url })
      await client.connect()
      for (let round = 0; !work.signal.aborted && round < 30; round++) {
        await client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mandate' AND query LIKE '%' || $1 || '%'`,
          [place.schema],
        )
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await client.end()
    })()
    const runs = Array.from({ length: 50 }, (_, index) => sampleRun(`run_${index}`, { notes: 20, end: 'completed' }))
    await Promise.all(
      runs.map(async (entries) => {
        const lease = await take(journal, entries[0]!.run)
        for (const entry of entries) await journal.append(lease, entry.seq - 1, [entry])
      }),
    )
    work.abort()
    await breaking
    for (const entries of runs) expect(await readAll(journal, entries[0]!.run)).toEqual(entries)
  })

  test('who watches hears, after the connection was lost, of what came in between', async () => {
    const { proxy, place, direct } = await behindProxy()
    const here = openJournal(place)
    const there = openJournal({ ...place, url: direct })
    await store(there, sampleRun('old'))
    const heard: string[] = []
    here.watch('*', ({ run, kind }) => heard.push(`${run} ${kind}`))
    await here.open()
    await store(there, sampleRun('before'))
    await vi.waitFor(() => expect(heard).toContain('before entry'), 15_000)
    proxy.cut()
    await store(there, sampleRun('between'))
    await there.signal('between', { id: 's', type: 'wake', at: 1, by: { id: 'x', roles: [] }, data: null })
    proxy.restore()
    await vi.waitFor(() => expect(heard).toEqual(expect.arrayContaining(['between entry', 'between signal'])), 10_000)
    await store(there, sampleRun('after'))
    await vi.waitFor(() => expect(heard).toContain('after entry'), 15_000)
  })

  test('a server that says nothing any more is given up after the time that was allowed', async () => {
    const { proxy, place } = await behindProxy()
    const journal = openJournal({ ...place, statementTimeoutMs: 5_000, connectTimeoutMs: 5_000, patienceMs: 0 })
    await journal.open()
    // The driver waits a little longer than the server would; five seconds are too long for a test that only wants to see the end.
    proxy.stall()
    const waiting = refused(journal.list())
    await new Promise((resolve) => setTimeout(resolve, 50))
    proxy.cut()
    const error = await waiting
    expect([error.code, error.message]).toEqual(['STORE_FAILED', expect.stringContaining('did not come back in time')])
    proxy.restore()
    expect(await journal.list()).toEqual([])
  })

  test('a statement that waits for a lock ends in time, and says which limit it was', async () => {
    const place = await newSchema()
    const journal = openJournal({ ...place, statementTimeoutMs: 2_000 })
    const lease = await take(journal, 'run')
    const client = new Client({ connectionString: place.url })
    await client.connect()
    onTestFinished(() => client.end())
    await client.query(`BEGIN; LOCK TABLE "${place.schema}".entries IN EXCLUSIVE MODE`)
    const error = await refused(journal.append(lease, 0, sampleRun('run')))
    expect([error.code, error.message]).toEqual(['STORE_FAILED', expect.stringContaining('statementTimeoutMs')])
    await client.query('ROLLBACK')
    await journal.append(lease, 0, sampleRun('run'))
    expect(await readAll(journal, 'run')).toHaveLength(1)
  })

  test('what is acknowledged is on disk, also where the database says that commits need not wait', async () => {
    const place = await newSchema()
    const url = new URL(place.url)
    url.searchParams.set('options', '-c synchronous_commit=off')
    const seen = await asked(url.href, 'SHOW synchronous_commit')
    expect(seen).toEqual([{ synchronous_commit: 'off' }])
    const journal = openJournal({ ...place, url: url.href, poolSize: 1 })
    await journal.open()
    // Seen through the journal's own connection: whatever it runs next runs under its settings.
    await asked(
      place.url,
      `CREATE FUNCTION "${place.schema}".note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO "${place.schema}".store VALUES ('seen', current_setting('synchronous_commit')); RETURN NEW; END $$;
       CREATE TRIGGER note AFTER INSERT ON "${place.schema}".counts FOR EACH ROW EXECUTE FUNCTION "${place.schema}".note()`,
    )
    await journal.addCount('c', 1, 1)
    const rows = await asked(place.url, `SELECT value FROM "${place.schema}".store WHERE name = 'seen'`)
    expect(rows).toEqual([{ value: 'on' }])
  })

  test('entries that were changed or taken away behind its back are found', async () => {
    const place = await newSchema()
    const journal = openJournal(place)
    for (const run of ['changed', 'shorter', 'swapped']) await store(journal, sampleRun(run, { notes: 3 }))
    const table = `"${place.schema}".entries`
    await asked(
      place.url,
      `UPDATE ${table} SET data = '{"name":"sample","value":99}' WHERE run = 'changed' AND seq = 3`,
    )
    await asked(place.url, `DELETE FROM ${table} WHERE run = 'shorter' AND seq = 4`)
    await asked(place.url, `UPDATE "${place.schema}".heads SET hash = repeat('0', 64) WHERE run = 'swapped'`)
    for (const run of ['changed', 'shorter', 'swapped'])
      expect((await refused(readAll(journal, run))).code).toBe('JOURNAL_DAMAGED')
    for (const run of ['shorter', 'swapped']) expect((await refused(take(journal, run))).code).toBe('JOURNAL_DAMAGED')
    const left = sampleRun('shorter', { notes: 3 }).slice(0, 3)
    expect(verifyEntries('shorter', left, await journal.knownHead('shorter')).ok).toBe(false)
  })
})
