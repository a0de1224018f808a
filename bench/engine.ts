import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { dbosEngine } from 'mandate/engine'
import type { Journal } from 'mandate/journal'
import { openPostgres } from 'mandate/postgres'
import { workKernel } from '../test/engine/minds.ts'
import { keepServer } from '../test/servers/keeping.ts'
import { canKeep } from '../test/servers/servers.ts'
import { median } from './harness.ts'
import type { Section } from './report.ts'

const RUNS = 200
const ANSWERS = 20
const worker = fileURLToPath(new URL('../test/engine/worker.fixture.ts', import.meta.url))

async function startWorker(url: string): Promise<ChildProcess> {
  const flags = ['--conditions=mandate-source', '--disable-warning=DeprecationWarning']
  const child = spawn(process.execPath, [...flags, worker, JSON.stringify({ url })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child
}

/** Whether the approved call has started. */
async function hasBegun(journal: Journal, run: string): Promise<boolean> {
  for await (const { type } of journal.read(run)) if (type === 'effect-start') return true
  return false
}

/** Measures two workers over a Postgres with synchronous commits, and a client in this process. */
export async function engine(): Promise<Section> {
  if (!canKeep('postgres')) return { tables: [], goals: [] }
  const server = await keepServer({ kind: 'postgres', isSafe: true })
  const { url } = server
  const [first, second] = await Promise.all([startWorker(url), startWorker(url)])
  const store = await openPostgres({ url })
  const kernel = workKernel({ journal: store.journal, engine: dbosEngine({ url }) })
  await kernel.attach()
  const state = async (run: string): Promise<string | undefined> => (await kernel.journal.summary(run))?.state
  const start = performance.now()
  await Promise.all(
    Array.from({ length: RUNS }, () => kernel.run({ kind: 'program', name: 'steps', input: { steps: 10 } })),
  )
  const perSecond = RUNS / ((performance.now() - start) / 1_000)

  const answered: number[] = []
  for (let index = 0; index < ANSWERS; index++) {
    const run = `ask${index}`
    await kernel.run({ kind: 'program', name: 'ask', input: { steps: 0 }, runId: run })
    const [request] = await kernel.approvals(run)
    const asked = performance.now()
    await kernel.respond(request!.id, { answer: 'approve' })
    while (!(await hasBegun(kernel.journal, run))) await wait(2)
    answered.push(performance.now() - asked)
    while ((await state(run)) !== 'completed') await wait(2)
  }

  await kernel.run({ kind: 'program', name: 'ask', input: { steps: 0 }, runId: 'parked' })
  const database = new Client({ connectionString: url })
  database.on('error', () => {})
  await database.connect()
  const rows = await database.query<{ bytes: number }>(
    `SELECT coalesce(sum(pg_column_size(w.*)), 0)::int AS bytes FROM mandate_dbos.workflow_status AS w WHERE workflow_uuid LIKE 'parked/%'`,
  )

  // The worker that drives a long run is killed; the other one has taken it over when its lease has a new owner.
  const long = kernel.run({ kind: 'program', name: 'steps', input: { steps: 1, stepMs: 60_000 }, runId: 'long' })
  long.catch(() => {})
  const owner = async (): Promise<string> =>
    (await database.query<{ owner: string | null }>(`SELECT owner FROM mandate.heads WHERE run = 'long'`)).rows[0]
      ?.owner ?? ''
  while (!/^\d+@/.test(await owner()) || ((await kernel.journal.summary('long'))?.head.seq ?? 0) < 3) await wait(5)
  const pid = Number.parseInt(await owner(), 10)
  const [killed, other] = first.pid === pid ? [first, second] : [second, first]
  killed.kill('SIGKILL')
  const died = performance.now()
  while ((await state('long')) === 'running') await wait(2)
  const failover = performance.now() - died

  await database.end()
  other.kill('SIGTERM')
  await new Promise((resolve) => other.once('exit', resolve))
  await kernel.stop()
  await store.close()
  await server.stop()
  return {
    tables: [
      {
        title: 'Two workers over Postgres',
        note: `Two workers, a client and a Postgres that forces its writes to the disk, all on this machine. ${RUNS} runs at once, of steps that do nothing: the journal and the queue are all there is.`,
        columns: ['measured'],
        rows: [
          ['runs of 10 steps per second', perSecond],
          ['ms from an approval to the next effect, which is the approved call, median', median(answered)],
          ['ms from the kill of a worker until another one has settled its run', failover],
          ['bytes of rows in the queue for a run that waits', rows.rows[0]!.bytes],
        ],
      },
    ],
    goals: [
      { name: 'runs of 10 steps per second on two workers', measured: perSecond, atLeast: 60 },
      { name: 'from an approval to the next effect, ms', measured: median(answered), atMost: 100 },
      {
        name: 'from the kill of a worker until another one has settled its run, ms',
        measured: failover,
        atMost: 1_000,
      },
      { name: 'rows in the queue for a run that waits, bytes', measured: rows.rows[0]!.bytes, atMost: 10_240 },
    ],
  }
}
