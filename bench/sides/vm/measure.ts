// Results of one engine, in a separate process: `node --expose-gc bench/sides/vm/measure.ts <engine> <speed | create | held> [program]`. Prints one line of
// JSON. BENCH_DRAW selects the other programs that the process runs first.
import { generate } from '../../../test/differential/generator.ts'
import type { Engine } from './engine.ts'
import { WAITING, programs, world } from './programs.ts'
import { settledMemory } from '../memory.ts'

export type EngineName = 'mandate' | 'quickjs' | 'quickjs-wasi' | 'ses' | 'isolated-vm'
export type Figures = Readonly<Record<string, number>>

const engines: Readonly<Record<EngineName, () => Promise<{ readonly engine: Engine }>>> = {
  mandate: () => import('./mandate.ts'),
  quickjs: () => import('./quickjs.ts'),
  'quickjs-wasi': () => import('./quickjs-wasi.ts'),
  ses: () => import('./ses.ts'),
  'isolated-vm': () => import('./isolated-vm.ts'),
}

const OTHERS = 300
/** CPU to spend on one program, in ms; bounds on how often it runs and how long that may take. */
const BATCH = { cpu: 200, least: 6, most: 200, wall: 5_000 }
const HELD = 1_000

/** Returns the CPU time of this thread in milliseconds, without other threads and processes. */
function threadCpu(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Runs other programs first, in every engine and regardless of their results, because a long-lived process has run other programs. */
async function runOthers({ create }: Engine, sources: readonly string[]): Promise<void> {
  for (const source of sources) {
    const sandbox = await create(world)
    try {
      await sandbox.run(source)
    } catch {
      // Some are meant to throw.
    }
    sandbox.end()
  }
}

/** Measures the milliseconds to parse and run one program in a fresh sandbox. Creating and closing the sandbox is not counted. */
async function runOnce({ create }: Engine, name: string): Promise<number> {
  const { source, expected } = programs[name]!
  const sandbox = await create(world)
  const start = threadCpu()
  const value = await sandbox.run(source)
  const spent = threadCpu() - start
  sandbox.end()
  if (value !== expected) throw new Error(`${name} gives ${String(value)} instead of ${expected}.`)
  return spent
}

async function speed(engine: Engine, only: string | undefined): Promise<Figures> {
  const names = Object.keys(programs).filter((name) => only === undefined || name === only)
  for (const name of names) await runOnce(engine, name)
  const figures: Record<string, number> = {}
  for (const name of names) {
    const start = performance.now()
    let cpu = 0
    let count = 0
    do {
      cpu += await runOnce(engine, name)
      count += 1
    } while (count < BATCH.least || (cpu < BATCH.cpu && count < BATCH.most && performance.now() - start < BATCH.wall))
    figures[name] = cpu / count
  }
  return figures
}

/** Measures the microseconds to create a sandbox, run `1+1` and close it. */
async function creation(engine: Engine): Promise<Figures> {
  const turns = async (count: number): Promise<number> => {
    const start = threadCpu()
    for (let i = 0; i < count; i++) {
      const sandbox = await engine.create(world)
      if ((await sandbox.run('1+1')) !== 2) throw new Error('1+1 is not 2.')
      sandbox.end()
    }
    return threadCpu() - start
  }
  const first = await turns(50)
  const count = Math.min(4_000, Math.max(100, Math.ceil((300 * 50) / first)))
  // The first half is a warm-up.
  await turns(count)
  return { create: ((await turns(count)) * 1_000) / count }
}

/** Measures the memory of a waiting program in KB, over a thousand programs. */
async function held(engine: Engine): Promise<Figures> {
  const open: (() => void)[] = []
  const add = (n: number): Promise<number> => new Promise((resolve) => open.push(() => resolve(n + 1)))
  const kept: { end(): void }[] = []
  const start = async (count: number): Promise<unknown[]> => {
    const runs: unknown[] = []
    const before = open.length
    for (let i = 0; i < count; i++) {
      const sandbox = await engine.create({ ...world, add })
      kept.push(sandbox)
      runs.push(sandbox.run(WAITING))
    }
    while (open.length < before + count) await new Promise((resolve) => setTimeout(resolve, 2))
    return runs
  }
  const first = await start(5)
  const before = settledMemory()
  const runs = await start(HELD)
  const after = settledMemory()
  for (const one of open) one()
  const values = await Promise.all([...first, ...runs])
  if (values.some((value) => value !== 12)) throw new Error('A program that waited gives a wrong answer.')
  for (const sandbox of kept) sandbox.end()
  const kb = (bytes: number): number => bytes / 1_024 / HELD
  return {
    heapKb: kb(after.heapUsed + after.external - before.heapUsed - before.external),
    rssKb: kb(after.rss - before.rss),
  }
}

if (import.meta.main) {
  const [name, mode, only] = process.argv.slice(2) as [EngineName, 'speed' | 'create' | 'held', string | undefined]
  const draw = Number(process.env['BENCH_DRAW'] ?? 0)
  // Before the engine is loaded, because some engines modify globals that the generator uses.
  const sources = Array.from({ length: OTHERS }, (_, index) => {
    const { source, isAsync } = generate(7_001 + draw * OTHERS + index)
    return `(${isAsync ? 'async ' : ''}function () {\n${source}\n})()`
  })
  const { engine } = await engines[name]()
  for (const level of ['log', 'info', 'warn', 'debug'] as const) console[level] = () => {}
  await runOthers(engine, sources)
  const figures = await { speed, create: creation, held }[mode](engine, only)
  process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0))
}
