import { describe, expect, test } from 'vitest'
import type { AgentService } from '../../src/agent/index.ts'
import { dbosEngine } from '../../src/engine/index.ts'
import { has } from '../servers/servers.ts'
import { SAID, THOUGHT } from './talker.fixture.ts'
import { askAll, openTalkers } from './talking.ts'
import { newPlace, startProgram } from './workers.fixture.ts'

describe.skipIf(!has('postgres'))('what a model says on one of two workers', () => {
  test('is complete on every face, and in the text stream of code, when the answer ends', async () => {
    const { url } = await newPlace()
    const [service] = await Promise.all([
      openTalkers(url, dbosEngine({ url })),
      startProgram('talker.fixture.ts', { url }),
      startProgram('talker.fixture.ts', { url }),
    ])
    for (const heard of await askAll(service, ['talker', 'quick', 'team', 'planned'])) {
      expect.soft(heard).toMatchObject({ text: SAID, isWhole: true })
      const isShown = heard.reasoning !== undefined && (heard.agent === 'talker' || heard.agent === 'quick')
      if (isShown) expect.soft(heard.reasoning).toBe(THOUGHT)
    }
  })

  test('is heard once by a worker that follows a run which it drives itself', async () => {
    const { url } = await newPlace()
    const worker = await openTalkers(url, dbosEngine({ url, role: 'worker' }))
    const client = await openTalkers(url, dbosEngine({ url }))
    let said = ''
    let relayed = ''
    worker.events.on('text-delta', ({ data }) => (said += data.text))
    client.events.on('text-delta', ({ data }) => (relayed += data.text))
    const [run] = await Promise.all([worker.run('talker', 'Speak.', { runId: 'both' }), follow(client, 'both')])
    expect(run.text).toBe(SAID)
    expect([said, relayed]).toEqual([SAID, SAID])
  })

  test('is not sent once more by another worker that follows the run', async () => {
    const { url } = await newPlace()
    await startProgram('talker.fixture.ts', { url })
    // It takes none of these runs, but hears what others want to hear.
    const queues = { none: { agents: ['quick'] } }
    const worker = await openTalkers(url, dbosEngine({ url, role: 'worker', queues, take: ['none'] }))
    const client = await openTalkers(url, dbosEngine({ url, queues }))
    const heard = ['', '']
    for (const [index, { events }] of [worker, client].entries()) {
      events.on('text-delta', ({ data }) => (heard[index] += data.text))
      events.on('stream-reset', () => (heard[index] += ' (again) '))
    }
    await Promise.all([client.run('talker', 'Speak.', { runId: 'both' }), follow(worker, 'both')])
    expect(heard).toEqual([SAID, SAID])
  })
})

async function follow(client: AgentService, run: string): Promise<void> {
  await expect.poll(() => client.journal.summary(run)).toBeDefined()
  await client.resume(run)
}
