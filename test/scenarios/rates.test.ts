import { expect, test } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { manualClock } from '../../src/core/index.ts'
import { scripted } from '../../src/model/index.ts'
import { openStore } from '../../src/store/sqlite/index.ts'
import { newFolder } from './folder.fixture.ts'

test('a limit of two refunds a day holds over a restart, and is free again a day later', async () => {
  const dir = newFolder()
  const day = 86_400_000
  let refunds = 0
  const attempt = async (now: number): Promise<string> => {
    const { journal } = await openStore({ dir })
    const service = new AgentService({
      store: { journal, close: () => journal.close() },
      clock: manualClock(now),
      mandate: { rates: [{ tool: 'refund', max: 2, perMs: day, per: 'all' }] },
      agents: [
        {
          id: 'support',
          model: scripted([{ toolCalls: [{ name: 'refund', input: {} }] }, 'Done.']),
          tools: [{ name: 'refund', risk: 'write', inputSchema: { type: 'object' }, run: () => ++refunds }],
        },
      ],
    })
    const { diagnostics } = (await service.run('support', 'Go.')).report()
    await service.stop()
    return diagnostics.warnings.join('\n')
  }
  expect([await attempt(1_000), await attempt(2_000)]).toEqual(['', ''])
  expect(await attempt(3_000)).toMatch(
    /At most 2 calls of "refund" in 86400 s for everyone together. Try again in 86398 s/,
  )
  expect(refunds).toBe(2)
  expect(await attempt(day + 1_000)).toBe('')
  expect(refunds).toBe(3)
})
