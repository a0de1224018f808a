import { describe, expect, test } from 'vitest'
import type { RunOutcome } from '../../src/run/index.ts'
import { has } from '../servers/servers.ts'
import { newPlace, openClient, startWorker } from './workers.fixture.ts'

const pidOf = (line: string): number => Number(line.split(' ').at(-1))

describe.skipIf(!has('postgres'))('children with an allotment, over workers', { timeout: 60_000 }, () => {
  test('are shared among the workers, and each is done once', async () => {
    const { url, log, lines } = await newPlace()
    const workers = await Promise.all([1, 2].map(() => startWorker(url, { log, concurrency: 3 })))
    const client = await openClient(url)
    const input = { steps: 4, stepMs: 500 }
    const spec = { kind: 'program', name: 'divided', runId: 'whole', input, budget: { toolCalls: 4 } } as const
    expect(await client.run(spec)).toMatchObject({ state: 'completed', output: ['ok', 'ok', 'ok', 'ok'] })
    expect(lines()).toHaveLength(4)
    // One of them has the parent in one of its three places: not all four fit there.
    expect(new Set(lines().map(pidOf))).toEqual(new Set(workers.map(({ pid }) => pid)))
    expect((await client.verify('whole')).ok).toBe(true)
  })

  test('go on when the worker of their parent is killed, and are not repeated', async () => {
    const { url, log, lines } = await newPlace()
    const workers = await Promise.all([1, 2].map(() => startWorker(url, { log, concurrency: 1 })))
    const client = await openClient(url)
    const input = { steps: 1, stepMs: 3_000 }
    const whole: Promise<RunOutcome> = client.run({ kind: 'program', name: 'divided', runId: 'whole', input })
    await expect.poll(() => lines().length, { timeout: 20_000 }).toBe(1)
    // The worker that drives the parent has room for nothing else.
    const parent = workers.find(({ pid }) => pid !== pidOf(lines()[0]!))!
    parent.kill('SIGKILL')
    expect(await whole).toMatchObject({ state: 'completed', output: ['ok'] })
    expect(lines()).toHaveLength(1)
  })
})
