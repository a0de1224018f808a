import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './harness.ts'
import type { ManyRuns, Stalls } from './load-runs.ts'
import type { Section } from './report.ts'

const ROUNDS = 3
const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning']
const program = fileURLToPath(new URL('./load-runs.ts', import.meta.url))

/** Runs each round in a separate process: measures how long its event loop is blocked. */
async function rounds<T>(what: 'many' | 'large'): Promise<readonly T[]> {
  const figures: T[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, what])
    figures.push(JSON.parse(stdout) as T)
  }
  return figures
}

/** Measures how long the event loop is blocked by 500 concurrent runs, and by a large result. */
export async function load(): Promise<Section> {
  const many = await rounds<ManyRuns>('many')
  const large = await rounds<Stalls>('large')
  const of = <T>(all: readonly T[], figure: keyof T): number => median(all.map((one) => Number(one[figure])))
  const row = (name: string, all: readonly Stalls[]): [string, ...number[]] => [
    name,
    of(all, 'p99'),
    of(all, 'max'),
    of(all, 'cpuP99'),
    of(all, 'cpuMax'),
  ]
  return {
    tables: [
      {
        title: 'The event loop under load (SQLite)',
        note: 'Medians of three processes. The delay of timers depends on what else the machine does; what the thread computes in one turn of its loop does not.',
        columns: ['delay p99, ms', 'delay max, ms', 'CPU of a turn p99, ms', 'CPU of a turn max, ms'],
        rows: [row('500 runs at once, six tool calls each', many), row('one run, a tool result of 10 MB', large)],
      },
      {
        title: '500 runs at once on SQLite',
        columns: [''],
        rows: [
          ['runs per second', of(many, 'runsPerSecond')],
          ['effects per second', of(many, 'effectsPerSecond')],
          ['the gate: CPU from the request to the decision, p50, ms', of(many, 'gateP50')],
          ['the gate: CPU from the request to the decision, p99, ms', of(many, 'gateP99')],
        ],
      },
    ],
    goals: [
      { name: '500 runs: CPU of one turn of the loop, p99, ms', measured: of(many, 'cpuP99'), atMost: 50 },
      { name: '500 runs: CPU of one turn of the loop, max, ms', measured: of(many, 'cpuMax'), atMost: 50 },
      { name: '500 runs: CPU of the gate, p99, ms', measured: of(many, 'gateP99'), atMost: 5 },
      { name: 'a result of 10 MB: CPU of one turn of the loop, max, ms', measured: of(large, 'cpuMax'), atMost: 100 },
    ],
  }
}
