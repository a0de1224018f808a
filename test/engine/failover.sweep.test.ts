import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Fleet } from '../../src/engine/index.ts'
import { readAll } from '../../src/journal/index.ts'
import type { RunOutcome, RunSpec } from '../../src/run/index.ts'
import { keepServer } from '../servers/keeping.ts'
import { has } from '../servers/servers.ts'
import { asked } from '../stores/postgres.fixture.ts'
import { ended, newPlace, openClient, startWorker } from './workers.fixture.ts'

const run = (name: string, runId: string, input: object = {}): RunSpec => ({
  kind: 'program',
  name,
  runId,
  input: input as never,
})

describe.skipIf(!has('postgres'))('workers that come and go', () => {
  test('a worker that is killed is taken over within moments, and nothing is lost or done twice', async () => {
    const { url, log, lines } = await newPlace()
    const [first, second, client] = await Promise.all([
      // Neither can take all of the runs.
      startWorker(url, { log, concurrency: 4 }),
      startWorker(url, { log, concurrency: 4 }),
      openClient(url),
    ])
    const outcomes = Array.from({ length: 8 }, (_, index) =>
      client.run(run('steps', `k${index}`, { steps: 6, stepMs: 80 })),
    )
    const byFirst = (): number => lines().filter((line) => line.endsWith(` ${first.pid}`)).length
    await expect.poll(() => byFirst() > 2 && lines().length > byFirst()).toBe(true)
    first.kill('SIGKILL')
    const states = (await Promise.all(outcomes)).map((outcome: RunOutcome) =>
      outcome.state === 'suspended' ? outcome.reason : outcome.state,
    )
    // What was in flight when the worker died is not repeated unasked: a person decides.
    expect(states.filter((state) => state !== 'completed' && state !== 'in-doubt')).toEqual([])
    const keys = lines().map((line) => line.split(' ').slice(0, 2).join(' '))
    expect(new Set(keys).size).toBe(keys.length)
    // Told to leave, the other one hands over and ends well.
    const left = client.begin(run('steps', 'later', { steps: 200, stepMs: 50 }))
    await expect.poll(() => lines().some((line) => line.startsWith('later'))).toBe(true)
    const end = ended(second)
    second.kill('SIGTERM')
    expect(await end).toBe(0)
    const third = await startWorker(url, { log })
    await expect
      .poll(() => lines().some((line) => line.startsWith('later') && line.endsWith(` ${third.pid}`)))
      .toBe(true)
    await client.cancel('later')
    expect((await left.outcome).state).toBe('cancelled')
    const { searchParams } = new URL(url)
    const rows = await asked(
      url.replace(/\?.*/, ''),
      `SELECT count(*)::int AS count FROM "${searchParams.get('schema')}".workers`,
    )
    expect(rows).toEqual([{ count: 1 }])
  })

  test('a run that ends every worker that drives it is suspended as in doubt, and others go on', async () => {
    const { url, log } = await newPlace()
    const client = await openClient(url)
    // As a service manager would: a worker that ends is started again, until the run is out of the way.
    const over = new AbortController()
    const keep = async (): Promise<void> => {
      while (!over.signal.aborted) await ended(await startWorker(url, { log, attempts: 2 }))
    }
    const kept = keep().catch(() => {})
    await client.plan({ ...run('deadly', 'deadly'), runId: 'deadly' })
    await expect
      .poll(async () => (await client.journal.summary('deadly'))?.suspendReason, { timeout: 50_000 })
      .toBe('in-doubt')
    expect((await readAll(client.journal, 'deadly')).some(({ type }) => type === 'note')).toBe(true)
    expect(await client.run(run('steps', 'after', { steps: 2 }))).toMatchObject({ state: 'completed' })
    over.abort()
    void kept
  })

  test('a worker drives only what it knows; what none knows waits, visibly, for one that does', async () => {
    const { url, log, lines } = await newPlace()
    const fleet = new Fleet(url)
    const [old, client] = await Promise.all([startWorker(url, { log, only: 'ask' }), openClient(url)])
    const outcome = client.run(run('steps', 'new', { steps: 2 }))
    await expect
      .poll(async () => (await fleet.report()).held)
      .toMatchObject([{ run: 'new', reason: expect.stringContaining('"steps"') }])
    const newer = await startWorker(url, { log })
    expect(await outcome).toMatchObject({ state: 'completed' })
    expect(new Set(lines().map((line) => line.split(' ')[2]))).toEqual(new Set([String(newer.pid)]))
    // The worker says so when the segment is over, a moment after the run's last entry.
    await expect.poll(async () => (await fleet.report()).held).toEqual([])
    expect([(await fleet.report()).workers.length, old.exitCode]).toEqual([2, null])
    await fleet.close()
  })

  test('two deployments under one name are refused', async () => {
    const { url } = await newPlace()
    await startWorker(url, { version: 'v1' })
    await expect(startWorker(url, { version: 'v1', only: 'ask' })).rejects.toThrow(/another `version`/)
    await startWorker(url, { version: 'v2', only: 'ask' })
  })

  test('a frozen worker is taken over, and what it writes when it wakes is refused', async () => {
    const { url, log, lines } = await newPlace()
    const frozen = await startWorker(url, { log, frozenMs: 1_500 })
    const client = await openClient(url)
    const outcome = client.run(run('steps', 'slept', { steps: 30, stepMs: 100 }))
    await expect.poll(() => lines().length).toBeGreaterThan(1)
    frozen.kill('SIGSTOP')
    const other = await startWorker(url, { log, frozenMs: 1_500 })
    await expect
      .poll(
        async () =>
          (await client.journal.summary('slept'))?.suspendReason ??
          lines().some((line) => line.endsWith(` ${other.pid}`)),
      )
      .toBeTruthy()
    frozen.kill('SIGCONT')
    const how = await outcome
    expect(['completed', 'suspended']).toContain(how.state)
    const keys = lines().map((line) => line.split(' ').slice(0, 2).join(' '))
    expect(new Set(keys).size).toBe(keys.length)
    expect((await client.verify('slept')).ok).toBe(true)
  })

  test('what the queue knows and the journal has lost is reported, not guessed', async () => {
    const { url } = await newPlace()
    const [, client] = await Promise.all([startWorker(url), openClient(url)])
    await client.run(run('ask', 'restored', { steps: 1 }))
    const schema = new URL(url).searchParams.get('schema')!
    const server = url.replace(/\?.*/, '')
    // The journal of a backup from before the run, and the queue of today, whose timer comes now.
    for (const table of ['entries', 'heads', 'runs'])
      await asked(server, `DELETE FROM "${schema}".${table} WHERE run = 'restored'`)
    await asked(server, `UPDATE "${schema}_dbos".workflow_status SET delay_until_epoch_ms = 0 WHERE status = 'DELAYED'`)
    const fleet = new Fleet(url)
    await expect
      .poll(async () => (await fleet.report()).held)
      .toMatchObject([{ run: 'restored', reason: expect.stringContaining('older copy') }])
    await fleet.close()
  })

  test('workers survive the end of all their connections, idle or busy, again and again', async () => {
    const server = await keepServer({ kind: 'postgres', isSafe: false })
    onTestFinished(() => server.stop())
    const { log, lines } = await newPlace()
    const { url } = server
    const [first, second, client] = await Promise.all([
      startWorker(url, { log }),
      startWorker(url, { log }),
      openClient(url),
    ])
    const outcomes = Array.from({ length: 6 }, (_, index) =>
      client.run(run('steps', `t${index}`, { steps: 60, stepMs: 40 })),
    )
    // Waiting for a timer, which no worker holds anything for.
    await client.run(run('nap', 'naps', { sleepMs: 3_000 }))
    const cut = (): Promise<unknown> =>
      asked(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL`,
      )
    for (let round = 0; round < 20; round++) {
      await cut()
      // At once again, or when a run has been driven in between.
      if (round % 2 === 0) outcomes.push(client.run(run('steps', `p${round}`, { steps: 1 })))
      await outcomes.at(-1)
    }
    // A worker whose lock was lost with its connection may be taken for dead: what it did at that moment is in doubt, and not repeated.
    const states = (await Promise.all(outcomes)).map((outcome) =>
      outcome.state === 'suspended' ? outcome.reason : outcome.state,
    )
    expect(states.filter((state) => state !== 'completed' && state !== 'in-doubt')).toEqual([])
    const keys = lines().map((line) => line.split(' ').slice(0, 2).join(' '))
    expect(new Set(keys).size).toBe(keys.length)
    await expect.poll(async () => (await client.journal.summary('naps'))?.state).toBe('completed')
    // With nothing to do, too.
    await cut()
    expect(await client.run(run('steps', 'after', { steps: 2 }))).toMatchObject({ state: 'completed' })
    expect([first.exitCode, second.exitCode]).toEqual([null, null])
  })

  test('answers and timers whose wake-up was lost are found by the workers', async () => {
    const { url, log, lines } = await newPlace()
    const client = await openClient(url)
    const first = await startWorker(url, { log })
    await client.run(run('ask', 'asks', { steps: 1 }))
    await client.run(run('nap', 'naps', { sleepMs: 1_500 }))
    const end = ended(first)
    first.kill('SIGTERM')
    expect(await end).toBe(0)
    await client.respond((await client.approvals('asks'))[0]!.id, { answer: 'approve' })
    const database = new Client({ connectionString: url })
    await database.connect()
    const { rowCount } = await database.query(
      `DELETE FROM "${new URL(url).searchParams.get('schema')}_dbos".workflow_status WHERE status IN ('ENQUEUED', 'DELAYED')`,
    )
    await database.end()
    // The answer, the timer, and the end of the time for an answer.
    expect(rowCount).toBe(3)
    await startWorker(url, { log })
    const states = (): Promise<unknown[]> =>
      Promise.all(['asks', 'naps'].map(async (each) => (await client.journal.summary(each))?.state))
    await expect.poll(states, { timeout: 60_000 }).toEqual(['completed', 'completed'])
    expect(lines().filter((line) => line.startsWith('asks')).length).toBe(2)
  })
})
