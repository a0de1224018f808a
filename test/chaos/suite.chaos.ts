import { describe, expect, test } from 'vitest'
import { announceSkip } from '../rotation.ts'
import { canKeep } from '../servers/servers.ts'
import { chaos } from './chaos.ts'
import type { ChaosPlan, ChaosReport } from './chaos.ts'
import type { EngineName } from './engines.ts'
import { HOOKED } from './hooks.ts'
import type { Fault } from './faults.ts'

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
  /** Needs a volume of its own. */
  readonly needsMount?: boolean | undefined
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
    name: 'some workers reach the database no more for a while, and then all arrives that was under way',
    runs: 200,
    faults: [['stall', 3_000]],
  },
  {
    name: 'the volume of the database is full, again and again',
    runs: 200,
    faults: [['full-disk', 5_000]],
    needsMount: true,
  },
  {
    name: 'runs are handed to several workers at once',
    runs: 200,
    faults: [
      ['dispatch-again', 300],
      ['kill', 6_000],
    ],
    isShared: true,
  },
  {
    name: 'every delivery of a webhook comes four times, while workers are killed and connections are cut',
    runs: 200,
    faults: [
      ['kill', 3_000],
      ['cut-connections', 4_000],
    ],
    more: { shape: HOOKED },
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
      ['stall', 11_000],
      ['crash-engine', 13_000],
    ],
  },
]

/** Below that of the whole suite, so that what was not over can be told. */
const LIMIT_MS = Math.min(900_000, Number(process.env['MANDATE_CHAOS_SECONDS'] ?? 3_600) * 800)
const canMount = process.getuid?.() === 0 && process.platform === 'linux'
if (!canMount) announceSkip('chaos with a full volume', 'run as root on Linux: it mounts a small volume')

function tell(engine: string, name: string, { places, problems, ...report }: ChaosReport): void {
  const line = JSON.stringify({ ...report, places: places.length, problems: problems.length })
  process.stdout.write(`${engine}: ${name}: ${line}\n`)
}

for (const engine of ENGINES) {
  const canRun = canKeep('postgres') && (engine !== 'restate' || canKeep('restate'))
  if (!canRun) announceSkip(`chaos with ${engine}`, 'install Postgres, and Restate (see test/servers/servers.ts)')
  describe.skipIf(!canRun || (only !== undefined && only !== engine))(`chaos with the engine ${engine}`, () => {
    for (const { name, runs, faults, more, isShared, needsMount } of SCENARIOS) {
      const isLeftOut = (isShared === true && engine === 'local') || (needsMount === true && !canMount)
      test.skipIf(isLeftOut)(`${engine}: ${name}`, async () => {
        // One process is soon through with its runs, and so are few runs: then things go wrong more often.
        const pace = faults.length > 2 ? 1 : (engine === 'local' ? 0.5 : 1) * Math.min(1, Math.sqrt(scale))
        const own = faults
          .filter(([fault]) => fault !== 'crash-engine' || engine === 'restate')
          .map(([fault, about]) => [fault, fault === 'kill' ? about : about * pace] as const)
        const plan = { engine, runs: Math.ceil(runs * scale), workers: 2, seed: 1, limitMs: LIMIT_MS, faults: own }
        const report = await chaos({ ...plan, ...more })
        tell(engine, name, report)
        expect(report.problems).toEqual([])
      })
    }

    test(`${engine}: a worker is killed at each place of a run, before and after whatever outlives it`, async () => {
      const plan = { engine, workers: 2, seed: 1, limitMs: LIMIT_MS, faults: [], shape: 'whole', concurrency: 1 }
      const { places, problems } = await chaos({ ...plan, runs: 1, hasPlaces: true })
      expect(problems).toEqual([])
      expect(places.length).toBeGreaterThan(40)
      const some = places.filter((_, index) => index % Math.ceil(1 / scale) === 0)
      const killAt = Object.fromEntries(some.map((place, index) => [`r${index}`, place]))
      const report = await chaos({ ...plan, runs: some.length, killAt })
      tell(engine, `killed at each of ${some.length} places`, report)
      expect(report.problems).toEqual([])
    })
  })
}
