import { expect, test } from 'vitest'
import { canKeep } from '../servers/servers.ts'
import { chaos } from './chaos.ts'

// Short: one engine, a few runs, one kill at a time. The whole: npm run test:chaos.
test.skipIf(!canKeep('postgres'))(
  'a worker that is killed in the middle loses and repeats nothing',
  async () => {
    const report = await chaos({
      engine: 'dbos',
      runs: 10,
      workers: 2,
      seed: 1,
      limitMs: 100_000,
      faults: [['kill', 600]],
    })
    expect(report.problems).toEqual([])
    expect(report.effects).toBeGreaterThan(40)
  },
  120_000,
)
