import { describe, expect, onTestFinished, test } from 'vitest'
import { has } from '../servers/servers.ts'
import { RUNS, openRated } from './rated.fixture.ts'
import type { RatedOrder } from './rated.fixture.ts'
import { newPlace, startProgram } from './workers.fixture.ts'

const HOUR_MS = 3_600_000

/** What two workers did of these runs, all of which were started at once: a line for each call, and by which process. */
async function calledUnder(rates: RatedOrder['rates']): Promise<readonly (readonly [string, string])[]> {
  const { url, log, lines } = await newPlace()
  const order: RatedOrder = { url, log, rates }
  const client = await openRated(order, false)
  onTestFinished(async () => void (await client.stop()))
  await Promise.all([1, 2].map(() => startProgram('rated.fixture.ts', order)))
  const results = await Promise.all(
    Array.from({ length: RUNS }, (_, index) =>
      client.as({ id: `t${index % 4}`, roles: ['owner'] }).run('caller', 'Call.', { runId: `r${index}` }),
    ),
  )
  expect(results).toHaveLength(RUNS)
  return lines().map((line) => line.split(' ') as [string, string])
}

describe.skipIf(!has('postgres'))('limits on calls, over two workers', () => {
  test('all calls of a tool, and those of one identity, are counted by both', async () => {
    const called = await calledUnder([
      { tool: 'call', max: 24, perMs: HOUR_MS, per: 'all' },
      { tool: 'call', max: 7, perMs: HOUR_MS },
    ])
    const tools = called.filter(([who]) => who !== 'model')
    expect(tools.length).toBeLessThanOrEqual(24)
    expect(tools.length).toBeGreaterThan(12)
    for (const tenant of ['t0', 't1', 't2', 't3'])
      expect(tools.filter(([who]) => who === tenant).length).toBeLessThanOrEqual(7)
    expect(new Set(called.map(([, pid]) => pid)).size).toBe(2)
  })

  test('calls of the models of a provider are counted by both', async () => {
    const called = await calledUnder([{ tool: 'model:*', max: 40, perMs: HOUR_MS, per: 'all' }])
    const models = called.filter(([who]) => who === 'model')
    expect(models.length).toBeLessThanOrEqual(40)
    expect(models.length).toBeGreaterThan(20)
    expect(new Set(models.map(([, pid]) => pid)).size).toBe(2)
  })
})
