import { expect, test } from 'vitest'
import { AgentService } from '../agent/index.ts'
import { manualClock } from '../core/index.ts'
import { memoryJournal } from '../journal/index.ts'
import { scripted } from '../model/index.ts'
import { runMetrics } from './metrics.ts'

const HOUR = 3_600_000

test('a schedule is no run that counts, also when it is removed; the runs that it starts count as those of their agent', async () => {
  const clock = manualClock(Date.parse('2026-01-05T08:00:00Z'))
  const journal = memoryJournal()
  const agents = [{ id: 'clock', model: scripted(() => 'Nine.') }]
  const service = new AgentService({ journal, clock, agents })
  await service.schedules.put({ id: 'hourly', cron: '0 * * * *', agent: 'clock', prompt: 'Tell the time.' })
  await service.schedules.put({ id: 'unused', cron: '0 0 * * *', agent: 'clock', prompt: 'Tell the time.' })
  for (let quarter = 0; quarter < 5; quarter += 1) {
    clock.advance(HOUR / 4)
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  await service.schedules.remove('hourly')
  await service.schedules.remove('unused')
  for (const filter of [{}, { name: 'clock' }])
    expect(await runMetrics(journal, filter)).toMatchObject({
      states: { completed: 1 },
      success: { passed: 1, attempts: 1 },
    })
  await service.stop()
})
