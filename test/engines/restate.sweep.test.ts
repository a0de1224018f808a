import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { Fleet, restateEngine } from '../../src/engine/index.ts'
import { Kernel } from '../../src/run/index.ts'
import { linkTo, postgresJournal } from '../../src/store/postgres/index.ts'
import { engineConformance } from '../../src/testing/index.ts'
import { openKernel } from '../chaos/engines.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

describe.skipIf(!has('restate') || !has('postgres'))('Restate', () => {
  engineConformance(
    {
      name: 'Restate',
      async start() {
        const store = await sharedServer('postgres')
        const [ingress, admin] = (await sharedServer('restate')).split('#') as [string, string]
        const schema = `t_${systemRandom.hex(8)}`
        const join = async (): Promise<{
          journal: ReturnType<typeof postgresJournal>
          engine: ReturnType<typeof restateEngine>
          close: () => Promise<void>
        }> => {
          const journal = postgresJournal({ url: store, schema })
          const engine = restateEngine({ store, schema, ingress, admin, worker: {} })
          return { journal, engine, close: () => journal.close() }
        }
        return { join, stop: async () => {} }
      },
    },
    { describe, it, expect },
  )
})

test.skipIf(!has('restate') || !has('postgres'))(
  'what Restate knows and the journal has lost is reported, not guessed',
  async () => {
    const store = await sharedServer('postgres')
    const [ingress, admin] = (await sharedServer('restate')).split('#') as [string, string]
    const schema = `t_${systemRandom.hex(8)}`
    const journal = postgresJournal({ url: store, schema })
    const kernel = new Kernel({ journal, engine: restateEngine({ store, schema, ingress, admin, worker: {} }) })
    const faults: string[] = []
    kernel.events.on('engine-fault', ({ data }) => void faults.push(data.message))
    const fleet = new Fleet(`${store}?schema=${schema}`)
    onTestFinished(async () => {
      await fleet.close()
      await kernel.stop()
      await journal.close()
    })
    await kernel.attach()
    // A segment from before the journal was restored.
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'lost/start' }
    const body = JSON.stringify({ cause: 'start', fromSeq: 9 })
    const answer = await fetch(`${ingress}/mandate.${new URL(store).pathname.slice(1)}.${schema}/lost/segment`, {
      method: 'POST',
      headers,
      body,
    })
    expect(answer.ok).toBe(true)
    expect((await fleet.report()).held).toMatchObject([{ run: 'lost', reason: expect.stringContaining('older copy') }])
    expect(faults).toEqual([expect.stringContaining('up to entry 9')])
    expect(await journal.summary('lost')).toBeUndefined()
  },
)

test.skipIf(!has('restate') || !has('postgres'))(
  'a run that only a worker at another address can drive is held with what to change, and goes on when the other worker leaves',
  async () => {
    const place = { url: await sharedServer('postgres'), schema: `t_${systemRandom.hex(8)}`, port: 0 }
    const folder = mkdtempSync(pathOf(tmpdir(), 'mandate-restate-'))
    const log = pathOf(folder, 'world')
    writeFileSync(log, '')
    const order = { ...place, engine: 'restate' as const, server: await sharedServer('restate'), log }
    const fleet = new Fleet(`${place.url}?schema=${place.schema}`)
    const { kernel: able } = openKernel(order, true)
    const { kernel: unable } = openKernel({ ...order, lacks: ['looks'] }, true)
    onTestFinished(async () => {
      await fleet.close()
      for (const kernel of [unable, able]) {
        await kernel.stop()
        await kernel.journal.close()
      }
      rmSync(folder, { recursive: true, force: true })
    })
    await able.attach()
    await unable.attach()
    await unable.journal.list({ limit: 1 })
    await able.plan({ kind: 'program', name: 'looks', input: null, runId: 'long' })
    const held = async (): Promise<unknown> => (await fleet.report()).held
    await expect
      .poll(held)
      .toMatchObject([{ run: 'long', reason: expect.stringContaining('give all workers one `uri`') }])
    await unable.stop()
    await expect.poll(() => readFileSync(log, 'utf8'), { timeout: 30_000 }).toContain('long')
    expect(await held()).toEqual([])
  },
)

test.skipIf(!has('restate') || !has('postgres'))(
  'databases that share a server of Restate have their own runs, though their schemas have one name',
  async () => {
    const first = await sharedServer('postgres')
    const [database, schema] = [`d_${systemRandom.hex(8)}`, `t_${systemRandom.hex(8)}`]
    const link = linkTo(first, 1)
    await link.query(`CREATE DATABASE ${database}`)
    const [ingress, admin] = (await sharedServer('restate')).split('#') as [string, string]
    const faults: string[] = []
    const stores = [first, Object.assign(new URL(first), { pathname: `/${database}` }).href]
    const kernels = stores.map((store) => {
      const engine = restateEngine({ store, schema, ingress, admin, worker: {} })
      const kernel = new Kernel({ journal: postgresJournal({ url: store, schema }), engine })
      kernel.registry.registerMind({ kind: 'program', name: 'says', start: async () => store })
      kernel.events.on('engine-fault', ({ data }) => void faults.push(data.message))
      return kernel
    })
    onTestFinished(async () => {
      for (const kernel of kernels) {
        await kernel.stop()
        await kernel.journal.close()
      }
      await link.query(`DROP DATABASE ${database}`)
      await link.close()
    })
    for (const kernel of kernels) await kernel.attach()
    for (const [index, kernel] of kernels.entries())
      expect(await kernel.run({ kind: 'program', name: 'says', input: null, runId: 'one' })).toMatchObject({
        state: 'completed',
        output: stores[index],
      })
    expect(faults).toEqual([])
  },
)

test('what cannot be meant is refused before anything is connected', () => {
  const good = { store: 'postgres://a/b', ingress: 'http://127.0.0.1:1' }
  expect(() => restateEngine({ ...good, ingress: 'localhost' })).toThrow('`ingress` is no address')
  expect(() => restateEngine({ ...good, worker: {} })).toThrow('give `admin`')
  expect(() => restateEngine({ ...good, admin: 'http://127.0.0.1:2', worker: { concurrency: 0 } })).toThrow(
    'concurrency',
  )
  expect(() => restateEngine({ ...good, admin: 'http://127.0.0.1:2', worker: { host: '0.0.0.0' } })).toThrow(
    'give `worker.uri`',
  )
  expect(() => restateEngine({ ...good, adress: 'x' } as never)).toThrow('adress')
})
