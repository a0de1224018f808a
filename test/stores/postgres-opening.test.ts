import { describe, expect, onTestFinished, test } from 'vitest'
import { readAll } from '../../src/journal/index.ts'
import { keyRing, postgresJournal } from '../../src/store/postgres/index.ts'
import { newKey } from '../../src/store/encryption/key-ring.ts'
import { sampleRun } from '../../src/testing/index.ts'
import { has } from '../servers/servers.ts'
import { asked, newSchema, openJournal, refused, store } from './postgres.fixture.ts'

test('options that make no sense are refused before anything is connected', () => {
  const url = 'postgres://me:secret@localhost/x'
  expect(() => postgresJournal({ url: 'mysql://localhost/x' })).toThrow('postgres://user:password@host')
  expect(() => postgresJournal({ url: undefined as never })).toThrow('postgres://user:password@host')
  expect(() => postgresJournal({ url, schema: 'a"b' })).toThrow('schema')
  for (const parameter of ['shema', 'Schema', 'schemas'])
    expect(() => postgresJournal({ url: `${url}?sslmode=require&${parameter}=m` })).toThrow('mean "schema"')
  expect(() => postgresJournal({ url, poolSize: 0 })).toThrow('poolSize')
  expect(() => postgresJournal({ url, patienceMs: Number.NaN })).toThrow('patienceMs')
})

test('a server that was never there is named at once, and never with the password', async () => {
  const journal = openJournal({ url: 'postgres://me:planted-password@127.0.0.1:1/nowhere' })
  const error = await refused(journal.open())
  expect([error.code, error.message]).toEqual(['STORE_FAILED', expect.stringContaining('Connection refused')])
  expect(`${error.message} ${JSON.stringify(error.info)}`).not.toContain('planted-password')
})

describe.skipIf(!has('postgres'))('opening a Postgres journal', () => {
  test('many who open a new schema at once find it made once', async () => {
    const place = await newSchema()
    const journals = Array.from({ length: 8 }, () => openJournal(place))
    await Promise.all(journals.map((journal) => journal.open()))
    await Promise.all(journals.map((journal, index) => store(journal, sampleRun(`run_${index}`))))
    expect(await journals[0]!.list()).toHaveLength(8)
    expect(await asked(place.url, `SELECT count(*)::int FROM "${place.schema}".store WHERE name = 'id'`)).toEqual([
      { count: 1 },
    ])
  })

  test('a database that is not there, and a user who may not, are told apart', async () => {
    const place = await newSchema()
    const url = new URL(place.url)
    url.pathname = '/no_such_database'
    expect((await refused(openJournal({ ...place, url: url.href }).open())).message).toContain('no such database')
    const user = `u_${place.schema}`
    await asked(place.url, `CREATE ROLE ${user} LOGIN`)
    onTestFinished(() => asked(place.url, `DROP ROLE ${user}`).then(() => {}))
    const asUser = new URL(place.url)
    asUser.username = user
    const error = await refused(openJournal({ ...place, url: asUser.href }).open())
    expect([error.code, error.message]).toEqual(['STORE_FAILED', expect.stringContaining('GRANT')])
  })

  test('a user to whom a schema was given needs no right to make one', async () => {
    const place = await newSchema()
    const user = `u_${place.schema}`
    await asked(place.url, `CREATE ROLE ${user} LOGIN; CREATE SCHEMA "${place.schema}" AUTHORIZATION ${user}`)
    onTestFinished(() => asked(place.url, `DROP OWNED BY ${user} CASCADE; DROP ROLE ${user}`).then(() => {}))
    const asUser = new URL(place.url)
    asUser.username = user
    const journal = openJournal({ ...place, url: asUser.href })
    await store(journal, sampleRun('run'))
    expect(await journal.list()).toHaveLength(1)
  })

  test('tables of a newer version and tables of another program are left alone', async () => {
    const newer = await newSchema()
    await openJournal(newer).open()
    await asked(newer.url, `UPDATE "${newer.schema}".store SET value = '99' WHERE name = 'journal version'`)
    const error = await refused(openJournal(newer).open())
    expect([error.code, error.message]).toEqual(['VERSION_UNSUPPORTED', expect.stringContaining('Upgrade mandate')])
    const foreign = await newSchema()
    await asked(foreign.url, `CREATE SCHEMA "${foreign.schema}"; CREATE TABLE "${foreign.schema}".runs (id int)`)
    const other = await refused(openJournal(foreign).open())
    expect([other.code, other.message]).toEqual(['STORE_FAILED', expect.stringContaining('another program')])
    expect(
      await asked(
        foreign.url,
        `SELECT table_name FROM information_schema.tables WHERE table_schema = '${foreign.schema}'`,
      ),
    ).toEqual([{ table_name: 'runs' }])
  })

  test('after closing, everything is refused as closed, and what was under way is done', async () => {
    const place = await newSchema()
    const journal = openJournal(place)
    const lease = await journal.acquire({ run: 'run', owner: 'x', ttlMs: 1, now: 0 })
    const pending = journal.append(lease, 0, sampleRun('run'))
    await Promise.all([journal.close(), journal.close()])
    await pending
    const attempts = [journal.list(), journal.append(lease, 1, []), journal.summary('run'), readAll(journal, 'run')]
    for (const attempt of [...attempts, journal.open(), journal.release(lease)])
      expect((await refused(attempt)).code).toBe('CLOSED')
    expect(() => journal.watch('run', () => {})).toThrow('closed')
    expect(await readAll(openJournal(place), 'run')).toHaveLength(1)
  })

  test('a sealed journal shows nothing of what was said, and opens only with its key', async () => {
    const place = await newSchema()
    const ring = keyRing(`one:${newKey()}`)
    const journal = openJournal({ ...place, encryption: ring })
    const secret = 'planted-text-that-nobody-may-see'
    await store(journal, sampleRun('run', { notes: 2, start: { input: secret } }))
    const by = { id: 'x', roles: [] }
    await journal.signal('run', { id: 's', type: 'steer', at: 1, by, data: { secret } })
    const tables = ['entries', 'runs', 'heads', 'signals', 'store', 'data_keys', 'counts']
    const dump = await Promise.all(
      tables.map((table) => asked(place.url, `SELECT t::text AS line FROM "${place.schema}".${table} AS t`)),
    )
    expect(JSON.stringify(dump)).toContain('run')
    expect(JSON.stringify(dump)).not.toContain(secret)
    expect(JSON.stringify(dump)).not.toContain(Buffer.from(secret).toString('hex'))
    expect(JSON.stringify(await readAll(journal, 'run'))).toContain(secret)
    expect((await refused(openJournal(place).open())).code).toBe('KEY_MISSING')
    const wrong = openJournal({ ...place, encryption: keyRing(`one:${newKey()}`) })
    expect((await refused(wrong.open())).code).toBe('KEY_WRONG')
    // A row that someone without the key put there is not taken for one of ours.
    await asked(place.url, `UPDATE "${place.schema}".entries SET data = '{}', salt = 'ab', sealed = NULL WHERE seq = 2`)
    expect((await refused(readAll(journal, 'run'))).code).toBe('SEAL_BROKEN')
  })
})
