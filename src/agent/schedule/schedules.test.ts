import { describe, expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { ManualClock } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { model, calls, tool } from '../agent.fixture.ts'
import { AgentService } from '../service/service.ts'

const START = Date.parse('2026-01-05T08:00:00Z')
const HOUR = 3_600_000

interface World {
  readonly journal: Journal
  readonly clock: ManualClock
  readonly done: string[]
}

function world(): World {
  return { journal: memoryJournal(), clock: manualClock(START), done: [] }
}

function serviceIn({ journal, clock, done }: World, more: { asks?: boolean } = {}): AgentService {
  return new AgentService({
    journal,
    clock,
    agents: [
      {
        id: 'reporter',
        model: model((request) => (request.messages.at(-1)!.role === 'tool' ? 'Sent.' : calls('send'))),
        tools: [
          tool('send', () => void done.push(new Date(clock.now()).toISOString()), {
            needsApproval: more.asks === true,
          }),
        ],
      },
    ],
  })
}

const rest = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Lets time pass in steps, as it does: one that jumped past a moment by more than a lease would look like a store that hangs. */
async function pass(clock: ManualClock, ms: number, step = HOUR / 4): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    clock.advance(Math.min(step, left))
    await rest()
  }
}

const HOURLY = { id: 'hourly', cron: '0 * * * *', agent: 'reporter', prompt: 'Report.' }

describe('a schedule', () => {
  test('runs its agent at each of its times', async () => {
    const at = world()
    const service = serviceIn(at)
    const info = await service.schedules.put(HOURLY)
    expect(new Date(info.nextAt).toISOString()).toBe('2026-01-05T09:00:00.000Z')
    await pass(at.clock, 3 * HOUR)
    expect(at.done).toEqual(['2026-01-05T09:00:00.000Z', '2026-01-05T10:00:00.000Z', '2026-01-05T11:00:00.000Z'])
    const [next] = await service.schedules.list()
    expect(new Date(next!.nextAt).toISOString()).toBe('2026-01-05T12:00:00.000Z')
    await service.stop()
  })

  test('is put once, by however many processes and however often; a change replaces it', async () => {
    const at = world()
    const [one, two] = [serviceIn(at), serviceIn(at)]
    const [first, second] = await Promise.all([one.schedules.put(HOURLY), two.schedules.put(HOURLY)])
    expect(second.runId).toBe(first.runId)
    await one.schedules.put(HOURLY)
    expect(await one.schedules.list()).toHaveLength(1)
    await two.schedules.put({ ...HOURLY, cron: '30 * * * *' })
    // The process that has the run reads that it is cancelled.
    await rest()
    expect((await one.schedules.list()).map(({ nextAt }) => new Date(nextAt).toISOString())).toEqual([
      '2026-01-05T08:30:00.000Z',
    ])
    await pass(at.clock, HOUR)
    expect(at.done).toEqual(['2026-01-05T08:30:00.000Z'])
    await Promise.all([one.stop(), two.stop()])
  })

  test('survives the end of the process: what was missed is done once, then it goes on', async () => {
    const at = world()
    const first = serviceIn(at)
    await first.schedules.put(HOURLY)
    await first.stop()
    await pass(at.clock, 5 * HOUR + 60_000)
    expect(at.done).toEqual([])
    const second = serviceIn(at)
    await second.schedules.start()
    await pass(at.clock, 1_000)
    expect(at.done).toHaveLength(1)
    await pass(at.clock, HOUR, 20_000)
    expect(at.done).toHaveLength(2)
    expect(at.done[1]).toMatch(/^2026-01-05T14:00:/)
    await second.stop()
  })

  test('leaves out what was missed where it says so, and what an earlier run is in the way of', async () => {
    const missed = world()
    const first = serviceIn(missed)
    await first.schedules.put({ ...HOURLY, missed: 'skip' })
    await first.stop()
    missed.clock.advance(5 * HOUR + 60_000)
    const second = serviceIn(missed)
    await second.schedules.start()
    await pass(missed.clock, 1_000)
    expect(missed.done).toEqual([])
    await pass(missed.clock, HOUR, 20_000)
    expect(missed.done).toHaveLength(1)
    await second.stop()

    const busy = world()
    const service = serviceIn(busy, { asks: true })
    await service.schedules.put({ ...HOURLY, overlap: 'skip' })
    await pass(busy.clock, 3 * HOUR)
    const waiting = await service.approvals()
    expect(waiting).toHaveLength(1)
    await service.approve(waiting[0]!.id)
    await rest()
    expect(busy.done).toHaveLength(1)
    await pass(busy.clock, HOUR)
    expect(await service.approvals()).toHaveLength(1)
    await service.stop()
  })

  test('is carried out by a process that did not add it, and ends when it is removed', async () => {
    const at = world()
    const worker = serviceIn(at)
    await worker.schedules.start()
    const other = serviceIn(at)
    await other.schedules.put({ id: 'often', everyMs: 60_000, agent: 'reporter', prompt: 'Report.' })
    await other.stop()
    await pass(at.clock, 3 * 60_000, 5_000)
    expect(at.done.length).toBeGreaterThanOrEqual(2)
    await worker.schedules.remove('often')
    const before = at.done.length
    await pass(at.clock, 5 * 60_000, 30_000)
    expect(at.done).toHaveLength(before)
    await expect(worker.schedules.remove('often')).rejects.toThrow('There is no schedule "often"')
    await worker.stop()
  })

  test('wakes a run with a message that its agent reads', async () => {
    const { journal, clock } = world()
    const heard: string[] = []
    const service = new AgentService({
      journal,
      clock,
      agents: [
        {
          id: 'watcher',
          model: model((request) => {
            heard.push(JSON.stringify(request.messages.at(-1)))
            return heard.length === 1 ? calls('look') : 'Seen.'
          }),
          tools: [tool('look', () => 'nothing yet', { needsApproval: true })],
        },
      ],
    })
    await service.run('watcher', 'Watch.', { runId: 'watch' })
    await service.schedules.put({ id: 'poke', everyMs: HOUR, wake: 'watch', message: 'Look again.' })
    await pass(clock, HOUR)
    const [open] = await service.approvals('watch')
    await service.approve(open!.id)
    await rest()
    expect(heard.join(' ')).toContain('Look again.')
    await service.stop()
  })

  test('wakes a run in the name of whoever put it: one of others takes the right to read it', async () => {
    const { journal, clock } = world()
    const service = new AgentService({
      journal,
      clock,
      mandate: { roles: { guest: [], runner: ['run-agent'], reader: ['run-agent', 'read-journal'] } },
      agents: [
        {
          id: 'watcher',
          model: model([calls('look'), 'Seen.']),
          tools: [tool('look', () => 1, { needsApproval: true })],
        },
      ],
    })
    await service.run('watcher', 'Watch.', { runId: 'watch' })
    const poke = { everyMs: HOUR, wake: 'watch', message: 'Look again.' }
    const guest = service.as({ id: 'gus', roles: ['guest'] })
    await expect(guest.schedules.put({ id: 'gus', ...poke })).rejects.toMatchObject({ code: 'DENIED' })
    const { runId: refused } = await service.as({ id: 'eve', roles: ['runner'] }).schedules.put({ id: 'eve', ...poke })
    await pass(clock, HOUR)
    expect(await journal.summary(refused)).toMatchObject({ state: 'failed' })
    expect(await journal.signals('watch')).toEqual([])
    const { runId: done } = await service.as({ id: 'bob', roles: ['reader'] }).schedules.put({ id: 'bob', ...poke })
    await pass(clock, HOUR)
    expect(await journal.summary(done)).toMatchObject({ state: 'completed' })
    expect(await journal.signals('watch')).toMatchObject([{ type: 'steer', by: { id: 'bob' } }])
    await service.stop()
  })

  test('is put only by whoever may run its agent, and runs in their name', async () => {
    const { journal, clock } = world()
    const service = new AgentService({
      journal,
      clock,
      mandate: { roles: { runner: ['run-agent'], guest: [] } },
      agents: [{ id: 'reporter', model: model(['Done.']) }],
    })
    await expect(service.as({ id: 'eve', roles: ['guest'] }).schedules.put(HOURLY)).rejects.toMatchObject({
      code: 'DENIED',
    })
    const { runId } = await service.as({ id: 'bob', roles: ['runner'] }).schedules.put(HOURLY)
    await pass(clock, 2 * HOUR)
    const [first, second] = (await service.schedules.list()).concat({ runId } as never)
    for (const one of [first!, second!])
      for await (const entry of journal.read(one.runId)) {
        expect(entry).toMatchObject({ data: { identity: { id: 'bob' } } })
        break
      }
    await service.stop()
  })

  test.each([
    [{ id: 'x', agent: 'reporter', prompt: 'a' }, 'needs either `cron` or `everyMs`'],
    [{ id: 'x', everyMs: 10, agent: 'reporter', prompt: 'a' }, '1000 at least'],
    [{ id: 'x', cron: '0 0 30 2 *', agent: 'reporter', prompt: 'a' }, 'never comes'],
    [{ id: 'x', everyMs: 1000 }, 'needs either `agent`'],
    [{ id: 'x', everyMs: 1000, agent: 'reporter' }, 'needs a `prompt`'],
    [{ id: 'x', everyMs: 1000, agent: 'nobody', prompt: 'a' }, 'There is no agent "nobody"'],
    [{ id: 'x.y', everyMs: 1000, agent: 'reporter', prompt: 'a' }, 'no dot'],
    [{ id: 'x', everyMs: 1000, agent: 'reporter', prompt: 'a', crn: '' }, '`crn` is not a field of a schedule'],
    [{ id: 'x', everyMs: 1000, agent: 'reporter', prompt: 'a', overlap: 'no' }, 'Use "allow" or "skip"'],
  ])('%j is refused: %s', async (given, message) => {
    const service = serviceIn(world())
    await expect(service.schedules.put(given as never)).rejects.toThrow(message)
    await service.stop()
  })
})
