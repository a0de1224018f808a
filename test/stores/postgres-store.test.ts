import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exportRun, readAll, verifyEntries } from '../../src/journal/index.ts'
import { keyRing, openPostgres, postgresData } from '../../src/store/postgres/index.ts'
import { newKey } from '../../src/store/encryption/key-ring.ts'
import { sampleRun } from '../../src/testing/index.ts'
import { COMMAND, REFUND, ROOT, environment, refunds, useOwnFolder } from '../cli/mandate.fixture.ts'
import { has } from '../servers/servers.ts'
import { newSchema, openJournal, refused, store } from './postgres.fixture.ts'

useOwnFolder()

describe.skipIf(!has('postgres'))('a whole store in Postgres', () => {
  test('journal, memory, database and prompts share a schema and a pool, and close together', async () => {
    const place = await newSchema()
    const opened = await openPostgres(place)
    await store(opened.journal, sampleRun('run'))
    await opened.data.memory().append('s', 1)
    await opened.data.database({ namespace: 'a' }).write('c', 'k', 2)
    await opened.data.prompts().put({ id: 'p', text: 'x' })
    const prompts = opened.data.prompts()
    await opened.close()
    expect((await refused(prompts.get('p'))).code).toBe('CLOSED')
    const data = postgresData(place)
    expect(await data.memory().read('s')).toEqual([1])
    expect(await data.database({ namespace: 'a' }).read('c', 'k')).toBe(2)
    expect(await data.database().read('c', 'k')).toBe(null)
    await data.close()
    expect((await refused(openPostgres({ ...place, url: 'postgres://x@127.0.0.1:1/x' }))).code).toBe('STORE_FAILED')
  })

  test('with the pool at its limit, many who ask at once are all served', async () => {
    const data = postgresData({ ...(await newSchema()), poolSize: 1, connectTimeoutMs: 500 })
    const database = data.database()
    await Promise.all(Array.from({ length: 300 }, (_, index) => database.write('c', `k${index % 50}`, index)))
    const values = await Promise.all(Array.from({ length: 300 }, (_, index) => database.read('c', `k${index % 50}`)))
    expect(values.every((value) => Number(value) >= 250)).toBe(true)
    await data.close()
  })

  test('a query finds what equals something, whatever it is and however deep', async () => {
    const data = postgresData(await newSchema())
    const database = data.database()
    const values = ['a', 'a"b', '\u0000', '\ud800', '', 0, -0, 1, 10, 1.5, 1e21, true, false, null]
    for (const [index, value] of values.entries())
      await database.write('c', `k${index}`, { deep: { 'odd "name"': value, list: [value, 'x'] } })
    for (const value of values) {
      const found = await database.query('c', { 'deep.odd "name"': value })
      const wanted = values.flatMap((one, index) => (one === value ? [`k${index}`] : []))
      expect(found.map(({ key }) => key).toSorted()).toEqual(wanted.toSorted())
      expect(await database.query('c', { 'deep.list.0': value })).toHaveLength(wanted.length)
    }
    expect(await database.query('c', { 'deep.list.length': 2 })).toHaveLength(values.length)
    expect(await database.query('c', { missing: null })).toEqual([])
    await data.close()
  })

  test('keys are changed without writing an entry, and a sealed store is verified without any', async () => {
    const place = await newSchema()
    const [one, two] = [newKey(), newKey()]
    const journal = openJournal({ ...place, encryption: keyRing(`one:${one}`) })
    const other = openJournal({ ...place, encryption: keyRing(`two:${two},one:${one}`) })
    const entries = sampleRun('old', { notes: 2 })
    await store(journal, entries)
    expect((await other.rekey()).hostKey).toBe('two')
    await store(other, sampleRun('new', { notes: 2 }))
    expect(await readAll(other, 'old')).toEqual(entries)
    const later = openJournal({ ...place, encryption: keyRing(`two:${two}`) })
    expect(await readAll(later, 'old')).toEqual(entries)
    expect(await readAll(later, 'new')).toEqual(sampleRun('new', { notes: 2 }))
    const blind = openJournal({ ...place, withoutKeys: true })
    const seen = await readAll(blind, 'old')
    const report = verifyEntries('old', seen, await blind.knownHead('old'))
    expect([report.ok, seen.every(({ data }) => data === null)]).toEqual([true, true])
    expect((await refused(store(blind, sampleRun('more')))).code).toBe('KEY_MISSING')
  })

  test('the command keeps its runs where a URL says, in the flag, the environment or the configuration', async () => {
    const place = await newSchema()
    const url = `${place.url}?schema=${place.schema}`
    const folder = mkdtempSync(join(tmpdir(), 'mandate-cli-pg-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const mandate = (
      words: readonly string[],
      env: object = {},
    ): { code: number | null; out: string; notes: string } => {
      const given = { cwd: folder, encoding: 'utf8', env: { ...environment(), ...env } } as const
      const [program, ...args] = [...COMMAND, ...words]
      const { status, stdout, stderr } = spawnSync(program!, args, given)
      return { code: status, out: stdout, notes: stderr }
    }
    const suspended = mandate(['run', join(ROOT, REFUND), 'Refund order A-17.', '--dir', url])
    expect([suspended.code, suspended.notes]).toEqual([4, expect.stringContaining('mandate approve')])
    const approval = /mandate approve (\S+)/.exec(suspended.notes)![1]!
    const run = /mandate resume (\S+)/.exec(suspended.notes)![1]!
    expect(mandate(['approve', approval], { MANDATE_DIR: url })).toMatchObject({ code: 0 })
    writeFileSync(
      join(folder, 'mandate.config.mjs'),
      `export const store = ${JSON.stringify(url)}\nexport default {}\n`,
    )
    expect(mandate(['resume', run, '--file', join(ROOT, REFUND)])).toMatchObject({ code: 0, out: 'It is paid back.\n' })
    expect(refunds()).toBe('A-17\n')
    const lines: string[] = []
    for await (const line of exportRun(openJournal(place), run)) lines.push(line)
    expect(mandate(['export', run]).out).toBe(`${lines.join('\n')}\n`)
    expect(mandate(['runs', '--dir', 'redis://localhost'])).toMatchObject({
      code: 6,
      notes: expect.stringContaining('no journal') as string,
    })
  })
})
