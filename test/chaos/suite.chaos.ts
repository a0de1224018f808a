import { describe, expect, test } from 'vitest'
import { announceSkip } from '../rotation.ts'
import { canKeep } from '../servers/servers.ts'
import { chaos } from './chaos.ts'
import type { ChaosPlan, Fault } from './chaos.ts'
import type { EngineName } from './engines.ts'

/** How much of everything: the whole suite by default, so many parts of a hundred otherwise. */
const scale = Number(process.env['MANDATE_CHAOS_PERCENT'] ?? 100) / 100
const only = process.env['MANDATE_CHAOS_ENGINE']

const ENGINES: readonly EngineName[] = ['local', 'dbos', 'restate']

interface Scenario {
  readonly name: string
  readonly runs: number
  readonly faults: readonly (readonly [Fault, number])[]
  readonly more?: Partial<ChaosPlan> | undefined
  /** For engines whose workers are many. */
  readonly isShared?: boolean | undefined
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'a worker is killed every two seconds', runs: 500, faults: [['kill', 2_000]] },
  { name: 'frozen workers come back as zombies', runs: 200, faults: [['freeze', 2_000]] },
  { name: 'all connections of the database are cut, again and again', runs: 200, faults: [['cut-connections', 1_500]] },
  { name: 'the database crashes and comes back', runs: 300, faults: [['crash-postgres', 5_000]] },
  {
    name: 'the worker that takes over is killed as well, and the database with it',
    runs: 200,
    faults: [
      ['kill-recovering', 4_000],
      ['crash-postgres', 9_000],
    ],
  },
  {
    name: 'clocks differ by twenty seconds',
    runs: 100,
    faults: [['kill', 6_000]],
    more: { skews: [0, 20_000, -20_000], workers: 3 },
    isShared: true,
  },
  {
    name: 'workers are replaced by those of another version, some of which lack an agent',
    runs: 200,
    faults: [
      ['drain', 5_000],
      ['other-version', 7_000],
    ],
    isShared: true,
  },
  {
    name: 'thousands of parked runs are woken at once',
    runs: 5_000,
    faults: [],
    more: { parked: true },
    isShared: true,
  },
  {
    name: 'everything at once',
    runs: 300,
    faults: [
      ['kill', 5_000],
      ['freeze', 6_000],
      ['drain', 8_000],
      ['cut-connections', 7_000],
      ['crash-postgres', 15_000],
      ['crash-engine', 13_000],
    ],
  },
]

for (const engine of ENGINES) {
  const canRun = canKeep('postgres') && (engine !== 'restate' || canKeep('restate'))
  if (!canRun) announceSkip(`chaos with ${engine}`, 'install Postgres, and Restate (see test/servers/servers.ts)')
  describe.skipIf(!canRun || (only !== undefined && only !== engine))(`chaos with the engine ${engine}`, () => {
    for (const { name, runs, faults, more, isShared } of SCENARIOS) {
      test.skipIf(isShared === true && engine === 'local')(`${engine}: ${name}`, async () => {
        const plan = { engine, runs: Math.ceil(runs * scale), workers: 2, seed: 1, limitMs: 900_000, faults, ...more }
        const report = await chaos(plan)
        process.stdout.write(`${engine}: ${name}: ${JSON.stringify({ ...report, problems: report.problems.length })}\n`)
        expect(report.problems).toEqual([])
      })
    }
  })
}
