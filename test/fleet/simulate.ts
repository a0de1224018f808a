import { simulateFleet } from './fleet.ts'
import type { FleetPlan, FleetReport } from './fleet.ts'

const WHOLE = { seed: 1, workers: 1_000, runs: 1_000_000, faults: 1, store: 1 }

/** A plan whose faults grow with the fleet; `faults` times as many of them, and `store` times as many lost answers and doubled segments. */
export function planOf({ seed, workers, runs, faults, store }: typeof WHOLE): FleetPlan {
  return {
    seed,
    workers,
    runs,
    slots: 20,
    rate: workers * 2,
    kills: (workers / 100) * faults,
    freezes: (workers / 200) * faults,
    drains: (workers / 200) * faults,
    skewMs: 20_000,
    leaseMs: 5_000,
    lost: 0.2 * store,
    doubled: 5 * store,
  }
}

/** `simulate.ts [--seed n] [--workers n] [--runs n] [--faults n] [--store n] [--defect name]` */
if (import.meta.main) {
  const given = process.argv.slice(2)
  const read = (name: keyof typeof WHOLE): number => {
    const index = given.indexOf(`--${name}`)
    const value = index < 0 ? WHOLE[name] : Number(given[index + 1])
    if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1.`)
    return value
  }
  const defect = (given.includes('--defect') ? given[given.indexOf('--defect') + 1] : undefined) as FleetPlan['defect']
  const asked = {
    ...{ seed: read('seed'), workers: read('workers'), runs: read('runs') },
    ...{ faults: read('faults'), store: read('store') },
  }
  const plan = { ...planOf(asked), defect }
  const begin = process.hrtime.bigint()
  const seconds = (): number => Number((process.hrtime.bigint() - begin) / 1_000_000n) / 1_000
  const tell = ({ finished, problems }: FleetReport): void =>
    void process.stderr.write(
      `${finished} of ${plan.runs} runs are over, ${problems.length} problems, ${seconds().toFixed(0)} s\n`,
    )
  const report = await simulateFleet({ ...plan, onProgress: tell })
  const text = JSON.stringify({
    ...report,
    seconds: seconds(),
    memoryMb: Math.round(process.memoryUsage().rss / 2 ** 20),
  })
  // Processes that died in the simulation leave promises behind that nobody settles.
  process.stdout.write(`${text}\n`, () => process.exit(report.problems.length === 0 ? 0 : 1))
}
