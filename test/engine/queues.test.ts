import { describe, expect, onTestFinished, test } from 'vitest'
import { Fleet } from '../../src/engine/index.ts'
import type { RunSpec } from '../../src/run/index.ts'
import { has } from '../servers/servers.ts'
import { ended, newPlace, openClient, startWorker } from './workers.fixture.ts'

const steps = (runId: string, input: object, more: Partial<RunSpec> = {}): RunSpec => ({
  ...{ kind: 'program', name: 'steps', runId, input: input as never },
  ...more,
})

/** Most lines of these runs that lie between the beginning of a step and its end. */
function mostAtOnce(lines: readonly string[], isCounted: (run: string) => boolean): number {
  const open = new Set<string>()
  let most = 0
  for (const line of lines) {
    const [run = '', word = ''] = line.split(' ')
    if (!isCounted(run)) continue
    if (word === 'ends') open.delete(run)
    else open.add(run)
    most = Math.max(most, open.size)
  }
  return most
}

describe.skipIf(!has('postgres'))('queues of workers', () => {
  test('runs of a higher priority are taken first, and other words are refused', async () => {
    const { url, log, lines } = await newPlace()
    const client = await openClient(url)
    for (const [index, priority] of (['low', 'normal', 'high', 'low', 'high'] as const).entries())
      await client.plan({ ...steps(`p${index}`, { steps: 1 }, { priority }), runId: `p${index}` })
    await startWorker(url, { log, concurrency: 1 })
    await expect.poll(() => lines().length, { timeout: 20_000 }).toBe(5)
    expect(lines().map((line) => line.split(' ')[0])).toEqual(['p2', 'p4', 'p1', 'p0', 'p3'])
    await expect(client.run(steps('p9', {}, { priority: 'urgent' as never }))).rejects.toThrow(/high, normal, low/)
  })

  test('limits of a queue and of an identity hold over all workers', async () => {
    const { url, log, lines } = await newPlace()
    const queues = { narrow: { agents: ['paired'], concurrency: 3, tenantConcurrency: 2 } }
    const [client] = await Promise.all([
      openClient(url),
      startWorker(url, { log, queues }),
      startWorker(url, { log, queues }),
    ])
    const identity = (index: number): RunSpec['identity'] => ({ id: `t${index % 2}`, roles: ['owner'] })
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        client.run({ ...steps(`q${index}`, { steps: 2, stepMs: 60 }, { identity: identity(index) }), name: 'paired' }),
      ),
    )
    expect(outcomes.map(({ state }) => state)).toEqual(outcomes.map(() => 'completed'))
    expect(mostAtOnce(lines(), () => true)).toBeLessThanOrEqual(3)
    for (const tenant of [0, 1])
      expect(mostAtOnce(lines(), (run) => Number(run.slice(1)) % 2 === tenant)).toBeLessThanOrEqual(2)
  })

  test('a worker that takes from several queues drives no more at a time than its concurrency', async () => {
    const { url, log, lines } = await newPlace()
    const client = await openClient(url)
    const names = ['paired', 'paired-b', 'paired-c']
    const queues = Object.fromEntries(names.map((name) => [`of-${name}`, { agents: [name] }]))
    // Before the runs, so that each goes to a queue of its own.
    const first = await startWorker(url, { log, queues })
    const gone = ended(first)
    first.kill('SIGTERM')
    await gone
    const ids = names.flatMap((name) => [1, 2, 3, 4].map((each) => [name, `${name}-${each}`] as const))
    for (const [name, runId] of ids) await client.plan({ ...steps(runId, { steps: 1, stepMs: 150 }), name, runId })
    await startWorker(url, { log, queues, concurrency: 2 })
    await expect.poll(() => lines().length, { timeout: 20_000 }).toBe(2 * ids.length)
    expect(mostAtOnce(lines(), () => true)).toBe(2)
  })

  test('runs that were queued before their queue had a limit for each identity are driven under it', async () => {
    const { url, log } = await newPlace()
    const client = await openClient(url)
    const first = await startWorker(url, { log, queues: { narrow: { agents: ['paired'] } } })
    const gone = ended(first)
    first.kill('SIGTERM')
    await gone
    const waiting = client.begin({ ...steps('early', { steps: 1 }), name: 'paired', runId: 'early' })
    await expect.poll(async () => (await client.journal.summary('early'))?.state).toBe('running')
    await startWorker(url, { log, queues: { narrow: { agents: ['paired'], tenantConcurrency: 2 } } })
    expect(await waiting.outcome).toMatchObject({ state: 'completed' })
  })

  test('what no worker takes is listed with the reason, and goes on when its queue is configured no more', async () => {
    const { url } = await newPlace()
    const client = await openClient(url)
    const fleet = new Fleet(url)
    onTestFinished(() => fleet.close())
    const held = async (): Promise<(readonly [string, string])[]> =>
      (await fleet.report()).held.map(({ run, reason }) => [run, reason] as const)
    const begun = client.begin({ ...steps('first', { steps: 1 }), runId: 'first' })
    await expect.poll(held).toEqual([['first', 'no worker is up']])
    const worker = await startWorker(url, { queues: { slow: { agents: ['paired'] } }, take: ['default'] })
    expect(await begun.outcome).toMatchObject({ state: 'completed' })
    await expect.poll(async () => (await client.journal.summary('first'))?.state).toBe('completed')
    const other = await openClient(url)
    const waiting = other.begin({ ...steps('second', { steps: 1 }), name: 'paired', runId: 'second' })
    await expect.poll(held).toEqual([['second', 'no worker that is up takes from the queue "slow"']])
    expect((await fleet.report()).queues).toMatchObject([{ name: 'slow', queued: 1, isOrphan: true }])
    const gone = ended(worker)
    worker.kill('SIGTERM')
    await gone
    await startWorker(url)
    expect(await waiting.outcome).toMatchObject({ state: 'completed' })
    expect(await held()).toEqual([])
  })
})
