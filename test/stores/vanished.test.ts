import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { AgentService } from 'mandate'
import { httpServer } from 'mandate/server'
import { openStore } from 'mandate/sqlite'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { sampleRun } from '../../src/testing/index.ts'
import { mandate, store as storeFolder, useOwnFolder } from '../cli/mandate.fixture.ts'
import { store } from './postgres.fixture.ts'

useOwnFolder()

const TOKEN = 'a-token-of-the-owner-of-this'
const OWNER = { id: 'owner', roles: ['owner'] }

/** The store of a test, with one sound run and one whose log is gone. */
async function withLostRun(): Promise<string> {
  const dir = storeFolder()
  const first = await openStore({ dir: `${dir}-first` })
  await store(first.journal, sampleRun('sound', { notes: 1, end: 'completed' }))
  await first.close()
  // Opened again, so that what is stored from here on is in the log alone.
  const { journal, close } = await openStore({ dir: `${dir}-first` })
  await store(journal, sampleRun('order-17', { notes: 1 }))
  mkdirSync(dir)
  for (const name of ['journal.db', 'journal.db.heads']) copyFileSync(`${dir}-first/${name}`, `${dir}/${name}`)
  await close()
  rmSync(`${dir}-first`, { recursive: true })
  return dir
}

async function serviceOver(dir: string): Promise<AgentService> {
  const { journal, close } = await openStore({ dir })
  const service = new AgentService({ journal })
  onTestFinished(async () => {
    await service.stop()
    await close()
  })
  return service
}

test('a run that the store has lost is nowhere called sound: lists, inbox, verify, audit, resume', async () => {
  const service = await serviceOver(await withLostRun())
  const gone = expect.stringContaining('Run "order-17" is gone') as unknown
  expect(await service.runs()).toMatchObject([{ run: 'order-17', damage: gone }, { run: 'sound' }])
  expect((await service.runs())[1]?.damage).toBe(undefined)
  expect(await service.inbox()).toMatchObject({ requests: [], unreadable: [{ run: 'order-17', problem: gone }] })
  expect(await service.verify('order-17')).toMatchObject({ ok: false, chain: 'broken', problems: [gone] })
  expect(await service.audit()).toMatchObject({ ok: false, runs: 2, incidents: [{ run: 'order-17', problem: gone }] })
  const refusal = { code: 'JOURNAL_DAMAGED', message: gone }
  await expect(service.resume('order-17')).rejects.toMatchObject(refusal)
  await expect(service.cancel('order-17')).rejects.toMatchObject(refusal)
  await expect(service.fork('order-17')).rejects.toMatchObject(refusal)
})

test('the command and the server show a run that the store has lost', async () => {
  const dir = await withLostRun()
  const { code, out } = await mandate('runs', '--json')
  expect([code, JSON.parse(out)]).toMatchObject([0, [{ run: 'order-17', damage: /is gone/ }, { run: 'sound' }]])
  expect((await mandate('runs')).out).toMatch(/^order-17 +damaged .*is gone/mu)
  expect(await mandate('doctor')).toMatchObject({ code: 6, out: /WRONG +run order-17: .*is gone/u })
  expect(await mandate('verify', 'order-17')).toMatchObject({ code: 6 })
  expect((await mandate('audit')).code).not.toBe(0)
  const server = httpServer(await serviceOver(dir), { tokens: [{ token: TOKEN, identity: OWNER }] })
  const headers = { authorization: `Bearer ${TOKEN}` }
  const answer = await server.fetch(new Request('http://localhost/api/runs', { headers }))
  const { runs } = (await answer.json()) as {
    readonly runs: readonly { readonly id: string; readonly damage?: string }[]
  }
  expect(runs).toMatchObject([
    { id: 'order-17', damage: expect.stringContaining('is gone') as unknown },
    { id: 'sound' },
  ])
  expect(runs[1]).not.toHaveProperty('damage')
})

test('a run that could not be read is marked in lists from then on, until it can', async () => {
  const dir = storeFolder()
  const first = await openStore({ dir })
  await store(first.journal, sampleRun('run', { notes: 3, end: 'completed' }))
  await first.close()
  const change = (sql: string): void => {
    const database = new DatabaseSync(`${dir}/journal.db`)
    database.exec(sql)
    database.close()
  }
  change('UPDATE entries SET at = at + 1 WHERE seq = 3')
  const service = await serviceOver(dir)
  expect((await service.runs())[0]?.damage).toBe(undefined)
  expect((await service.verify('run')).ok).toBe(false)
  expect((await service.runs())[0]?.damage).toContain('damaged at entry 3')
  expect((await service.summary('run'))?.damage).toContain('damaged at entry 3')
  change('UPDATE entries SET at = at - 1 WHERE seq = 3')
  expect((await service.verify('run')).ok).toBe(true)
  expect((await service.runs())[0]?.damage).toBe(undefined)
})
