// One script, once, in a fresh process: `node bench/sides/vm/cold.ts <engine> <program> [times]`. Prints one line of JSON. `load` is from importing the
// engine to having it, `script` from making a sandbox to the result, `run` the same without making it; starting the process and reading this file are in
// neither. `again` is how long it takes in a fresh sandbox of the same process, after so many times.
import { pathToFileURL } from 'node:url'
import { coldPrograms } from './cold-programs.ts'
import type { Engine } from './engine.ts'
import { world } from './programs.ts'
import type { BenchProgram } from './programs.ts'

const [, , engineName, programName, times = '0'] = process.argv as [string, string, string, string, string?]
const all: Readonly<Record<string, BenchProgram>> = Object.assign({}, ...Object.values(coldPrograms))
const program = all[programName]
if (program === undefined) throw new Error(`There is no program "${programName}".`)

interface Clock {
  /** CPU time of the thread that runs the script: the latency for a caller on an idle machine. */
  readonly thread: number
  /** CPU time of all threads, including those that compile in the background. */
  readonly cpu: number
  readonly wall: number
}

function clock(): Clock {
  const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000
  return {
    thread: milliseconds(process.threadCpuUsage()),
    cpu: milliseconds(process.cpuUsage()),
    wall: performance.now(),
  }
}

const start = clock()
const { engine } = (await import(pathToFileURL(engineName).href)) as { readonly engine: Engine }
const loaded = clock()
const sandbox = await engine.create(world)
const made = clock()
const value = await sandbox.run(program.source)
const end = clock()
if (value !== program.expected)
  throw new Error(`${programName} gives ${String(value)} instead of ${String(program.expected)}.`)
const figures: Record<string, number> = {}
let last = end
for (let left = Number(times); left > 0; left--) {
  last = clock()
  const fresh = await engine.create(world)
  await fresh.run(program.source)
  fresh.end()
}
const done = clock()
for (const by of ['thread', 'cpu', 'wall'] as const) {
  figures[`load ${by}`] = loaded[by] - start[by]
  figures[`script ${by}`] = end[by] - loaded[by]
  figures[`run ${by}`] = end[by] - made[by]
  if (last !== end) figures[`again ${by}`] = done[by] - last[by]
  figures[`total ${by}`] = end[by] - start[by]
}
process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0))
