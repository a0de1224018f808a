import { describe, expect, onTestFinished, test } from 'vitest'
import { dbosEngine } from '../../src/engine/index.ts'
import type { DbosEngineOptions } from '../../src/engine/index.ts'
import type { Kernel } from '../../src/run/index.ts'
import { linkTo, openPostgres } from '../../src/store/postgres/index.ts'
import { has } from '../servers/servers.ts'
import { asked } from '../stores/postgres.fixture.ts'
import { workKernel } from './minds.ts'
import { newPlace, openClient } from './workers.fixture.ts'

/** A worker in this process, and the schema of its queues. */
async function workHere(url: string, options: Partial<DbosEngineOptions> = {}): Promise<Kernel> {
  const store = await openPostgres({ url })
  const kernel = workKernel({ journal: store.journal, engine: dbosEngine({ url, role: 'worker', ...options }) })
  onTestFinished(async () => {
    await kernel.stop()
    await store.close()
  })
  await kernel.attach()
  return kernel
}

const queuesOf = (url: string): string => `"${new URL(url).searchParams.get('schema')}_dbos"`
const ask = (url: string, sql: string): Promise<readonly unknown[]> => asked(url.replace(/\?.*/, ''), sql)
const steps = (runId: string): { kind: 'program'; name: string; runId: string; input: { steps: number } } => ({
  ...{ kind: 'program', name: 'steps', runId },
  input: { steps: 1 },
})

describe.skipIf(!has('postgres'))('the rows of segments', () => {
  test('a segment that a worker took without learning of it is driven all the same, while that worker lives', async () => {
    const { url } = await newPlace()
    const client = await openClient(url)
    const worker = await workHere(url, { queues: { other: { agents: ['steps'] } }, take: ['default'] })
    await client.plan(steps('stray'))
    // As when the answer to the claim of the worker was lost with its connection.
    const claim = `UPDATE ${queuesOf(url)}.workflow_status SET status = 'PENDING', queue_name = 'mandate-default',
        executor_id = (SELECT id FROM "${new URL(url).searchParams.get('schema')}".workers)
      WHERE workflow_uuid = 'stray/start' AND status = 'ENQUEUED' RETURNING 1`
    expect(await ask(url, claim)).toHaveLength(1)
    const state = async (): Promise<unknown> => (await worker.journal.summary('stray'))?.state
    await expect.poll(state, { timeout: 30_000 }).toBe('completed')
  })

  test('of a segment that is over nothing is kept for longer than was asked for', async () => {
    const { url } = await newPlace()
    const worker = await workHere(url, { keepMs: 0 })
    expect(await worker.run(steps('brief'))).toMatchObject({ state: 'completed' })
    const waits = await worker.run({ ...steps('waits'), name: 'ask' })
    expect(waits).toMatchObject({ state: 'suspended' })
    const rows = async (): Promise<unknown> => {
      const tables = ['workflow_status', 'workflow_input', 'workflow_output']
      const counts = tables.map((table) => `(SELECT count(*)::int FROM ${queuesOf(url)}.${table}) AS ${table}`)
      return (await ask(url, `SELECT ${counts.join(', ')}`))[0]
    }
    // The end of the time for the answer.
    await expect.poll(rows, { timeout: 20_000 }).toEqual({ workflow_status: 1, workflow_input: 1, workflow_output: 0 })
    await worker.cancel('waits')
    await expect.poll(rows, { timeout: 20_000 }).toEqual({ workflow_status: 0, workflow_input: 0, workflow_output: 0 })
  })

  test('no connection of a worker can end its process, or keep its locks while it is frozen', async () => {
    const { url } = await newPlace()
    const others = `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'dbos%'`
    const before = await ask(url, others)
    const worker = await workHere(url)
    await worker.run(steps('busy'))
    // All of them are made where broken ones are listened to.
    expect(await ask(url, others)).toEqual(before)
    const link = linkTo(url, 1)
    const { rows } = await link.query("SELECT current_setting('idle_in_transaction_session_timeout') AS most")
    expect(rows).toEqual([{ most: '30s' }])
    await link.close()
  })

  test('a second worker of one process is refused, and its end takes nothing from the first', async () => {
    const { url } = await newPlace()
    const first = await workHere(url)
    const store = await openPostgres({ url })
    const second = workKernel({ journal: store.journal, engine: dbosEngine({ url, role: 'worker' }) })
    await expect(second.attach()).rejects.toThrow('This process has a worker already')
    await second.stop()
    await store.close()
    const outcome = first.run(steps('after'))
    const none = new Promise((resolve) => setTimeout(resolve, 15_000, 'nobody drives it'))
    expect(await Promise.race([outcome, none])).toMatchObject({ state: 'completed' })
    expect(await ask(url, `SELECT state FROM "${new URL(url).searchParams.get('schema')}".workers`)).toEqual([
      { state: 'up' },
    ])
  })

  test('a worker that cannot be started leaves no member behind', async () => {
    const { url } = await newPlace()
    await openClient(url)
    const { journal } = await openPostgres({ url })
    onTestFinished(() => journal.close())
    const engine = dbosEngine({ url, role: 'worker' })
    const kernel = workKernel({ journal, engine })
    onTestFinished(async () => void (await kernel.stop()))
    const members = `SELECT state FROM "${new URL(url).searchParams.get('schema')}".workers`
    await ask(
      url,
      `CREATE FUNCTION public.refuse_${url.slice(-6)}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no queues today'; END $$`,
    )
    await ask(
      url,
      `CREATE TRIGGER refuse BEFORE INSERT ON "${new URL(url).searchParams.get('schema')}".queues
        FOR EACH ROW EXECUTE FUNCTION public.refuse_${url.slice(-6)}()`,
    )
    const failing = workKernel({
      journal,
      engine: dbosEngine({ url, role: 'worker', queues: { x: { agents: ['y'] } } }),
    })
    await expect(failing.attach()).rejects.toThrow('no queues today')
    expect(await ask(url, members)).toEqual([])
    await failing.stop()
    // The process may have a worker after that.
    await kernel.attach()
    expect(await ask(url, members)).toEqual([{ state: 'up' }])
  })
})
