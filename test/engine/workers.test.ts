import { describe, expect, test } from 'vitest'
import { readAll } from '../../src/journal/index.ts'
import type { RunSpec } from '../../src/run/index.ts'
import { has } from '../servers/servers.ts'
import { newPlace, openClient, startWorker } from './workers.fixture.ts'

const run = (name: string, runId: string, input: object = {}): RunSpec => ({
  kind: 'program',
  name,
  runId,
  input: input as never,
})

describe.skipIf(!has('postgres'))('workers over Postgres', () => {
  test('drive what another process starts, wake it by its answer and its timer, and nothing of a run that waits is left in them', async () => {
    const { url, log, lines } = await newPlace()
    const [worker, client] = await Promise.all([startWorker(url, { log }), openClient(url)])
    const waiting = await client.run(run('ask', 'asks', { steps: 1 }))
    expect(waiting).toMatchObject({ state: 'suspended', reason: 'approval' })
    await client.run(run('nap', 'naps', { sleepMs: 1_500 }))
    const rests = (await readAll(client.journal, 'naps')).filter(({ type }) => type === 'run-suspend')
    expect(rests).toMatchObject([{ data: { reason: 'timer' } }])
    // The signal and its wake-up are one transaction; asked four times, one of them counts.
    const { id } = (await client.approvals('asks'))[0]!
    const answers = await Promise.allSettled(Array.from({ length: 4 }, () => client.respond(id, { answer: 'approve' })))
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    await expect.poll(async () => (await client.journal.summary('asks'))?.state).toBe('completed')
    await expect.poll(async () => (await client.journal.summary('naps'))?.state).toBe('completed')
    expect(lines().map((line) => line.split(' ')[0])).toEqual(['asks', 'asks'])
    expect(lines().every((line) => line.endsWith(` ${worker.pid}`))).toBe(true)
    expect((await client.verify('asks')).ok).toBe(true)
    // Cancelled from here, while a worker drives it.
    const cancelled = client.begin(run('steps', 'long', { steps: 1_000, stepMs: 50 }))
    await expect.poll(() => lines().filter((line) => line.startsWith('long')).length).toBeGreaterThan(1)
    await client.cancel('long', 'enough')
    expect(await cancelled.outcome).toMatchObject({ state: 'cancelled' })
  })
})
