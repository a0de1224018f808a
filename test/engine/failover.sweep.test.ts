import { describe, expect, test } from 'vitest'
import type { RunOutcome, RunSpec } from '../../src/run/index.ts'
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
      startWorker(url, { log }),
      startWorker(url, { log }),
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
})
