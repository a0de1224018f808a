import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from './harness.ts'
import { installPeers } from './installing.ts'
import type { Goal, Section, Table } from './report.ts'
import type { EngineName, Figures } from './sides/vm/measure.ts'

const ROUNDS = 5
const COMPUTING = ['fib25', 'loop1e6', 'array1e5', 'string1e5', 'object1e5']
const SPEED = [...COMPUTING, 'async10k', 'codemode']
const FORMS = ['while', 'map', 'filter', 'reduce']
const LABELS: Readonly<Record<EngineName, string>> = {
  mandate: 'mandate, all limits on',
  quickjs: 'quickjs-emscripten 0.32 (release, sync)',
  'quickjs-wasi': 'quickjs-wasi 3.6',
  ses: 'ses 2.3 Compartment (native code; no fuel, no memory limit)',
  'isolated-vm': 'isolated-vm 7 (native code, an isolate each; no fuel)',
}

interface Job {
  /** The key of its results. */
  readonly key: string
  /** A file in the folder of the engines, with its arguments. */
  readonly args: readonly [file: string, ...rest: string[]]
  readonly flags?: readonly string[]
  /** Whether it is skipped visibly if it cannot run. */
  readonly isPeer: boolean
}

const sideFile = (name: string): string => join(import.meta.dirname, 'sides', 'vm', name)

function measureOnce({ key, args: [file, ...rest], flags = [], isPeer }: Job, round: number): Figures | undefined {
  const node = ['--conditions=mandate-source', '--expose-gc', '--disable-warning=ExperimentalWarning', ...flags]
  try {
    const said = execFileSync(process.execPath, [...node, sideFile(file), ...rest], {
      encoding: 'utf8',
      // Programs that ran before affect how code is compiled, so results must not depend on one selection of them.
      env: {
        ...process.env,
        BENCH_DRAW: String(round),
        NODE_COMPILE_CACHE: join(import.meta.dirname, '../.cache/compile'),
      },
      timeout: 180_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return JSON.parse(said.trim().split('\n').at(-1)!) as Figures
  } catch (error) {
    if (!isPeer) throw error
    console.error(`bench: SKIPPED ${key}: ${String((error as { stderr?: unknown }).stderr ?? error).trim()}`)
    return undefined
  }
}

/** Runs every job in a separate process, in reverse order in every second round; returns the median of each result. */
function measureAll(jobs: readonly Job[]): Map<string, Figures> {
  const all = new Map<string, Figures[]>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const job of round % 2 === 0 ? jobs : jobs.toReversed()) {
      const figures = measureOnce(job, round)
      if (figures !== undefined) all.set(job.key, [...(all.get(job.key) ?? []), figures])
    }
    console.error(`bench: vm, round ${round + 1} of ${ROUNDS}`)
  }
  return new Map([...all].map(([key, list]) => [key, middle(list)]))
}

function middle(list: readonly Figures[]): Figures {
  return Object.fromEntries(Object.keys(list[0]!).map((name) => [name, median(list.map((one) => one[name]!))]))
}

function jobsOf(engines: readonly EngineName[]): Job[] {
  const jobs: Job[] = ['speed', 'create', 'held'].flatMap((mode) =>
    engines.map((name) => ({
      key: `${name} ${mode}`,
      args: ['measure.ts', name, mode] as const,
      isPeer: name !== 'mandate',
    })),
  )
  const unmetered = `--import=${sideFile('unmetered.ts')}`
  jobs.push({ key: 'unmetered', args: ['measure.ts', 'mandate', 'speed'], flags: [unmetered], isPeer: false })
  for (const side of ['mandate', 'baseline'])
    jobs.push({ key: `${side} forms`, args: ['forms.ts', side], isPeer: false })
  return jobs
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}

/** Compares programs and scripts in our interpreter with the sandboxes that a user might embed instead. */
export async function vm(): Promise<Section> {
  const engines: EngineName[] = installPeers()
    ? ['mandate', 'quickjs', 'quickjs-wasi', 'ses', 'isolated-vm']
    : ['mandate']
  const measured = measureAll(jobsOf(engines))
  const there = engines.filter((name) => measured.has(`${name} speed`) && measured.has(`${name} create`))
  const speeds = new Map(
    there.map((name) => [name, { ...measured.get(`${name} speed`), ...measured.get(`${name} create`) }]),
  )
  return {
    tables: [speedTable(speeds), heldTable(engines, measured), meteringTable(measured), formsTable(measured)],
    goals: [...speedGoals(speeds), ...otherGoals(measured)],
  }
}

function speedTable(speeds: ReadonlyMap<EngineName, Figures>): Table {
  const own = speeds.get('mandate')!
  const names = [...SPEED, 'create']
  return {
    title: 'Scripts, beside other sandboxes',
    note: `Milliseconds of CPU of the thread to read and run a program in a fresh sandbox (making one, \`create\`, includes running \`1+1\`, in microseconds), after 300 other generated programs in the same process. A figure in bold is faster than ours${winnersText(speeds)}.`,
    columns: names,
    rows: [...speeds].map(([name, figures]) => [
      LABELS[name],
      ...names.map((figure) =>
        figures[figure]! < own[figure]! ? `**${figures[figure]!.toPrecision(3)}**` : figures[figure]!,
      ),
    ]),
  }
}

/** Describes where other engines are faster: they run native code, so they are faster at computing. */
function winnersText(speeds: ReadonlyMap<EngineName, Figures>): string {
  const own = speeds.get('mandate')!
  const won = [...speeds].flatMap(([name, figures]) => {
    const where = [...SPEED, 'create'].filter((figure) => figures[figure]! < own[figure]!)
    return where.length === 0 ? [] : [`${name} wins ${where.join(', ')}`]
  })
  return won.length === 0 ? '' : `: ${won.join('; ')}`
}

function heldTable(engines: readonly EngineName[], measured: ReadonlyMap<string, Figures>): Table {
  return {
    title: 'A script that waits for an answer, 1,000 of them',
    note: 'Each with its own source, read anew. Heap includes what is held outside of it.',
    columns: ['KB of heap each', 'KB of RSS each'],
    rows: engines.flatMap((name) => {
      const figures = measured.get(`${name} held`)
      return figures === undefined ? [] : [[LABELS[name], figures['heapKb']!, figures['rssKb']!] as const]
    }),
  }
}

function meteringTable(measured: ReadonlyMap<string, Figures>): Table {
  const metered = measured.get('mandate speed')!
  const unmetered = measured.get('unmetered')!
  const line = (name: string, figures: Figures): Table['rows'][number] => [name, ...SPEED.map((one) => figures[one]!)]
  return {
    title: 'What counting fuel and memory costs',
    note: 'Milliseconds of CPU, as above. The second line reads the same sources with every place that spends taken out.',
    columns: SPEED,
    rows: [line('mandate', metered), line('mandate, not counting', unmetered)],
  }
}

function formsTable(measured: ReadonlyMap<string, Figures>): Table {
  const line = (name: string, figures: Figures): Table['rows'][number] => [name, ...FORMS.map((one) => figures[one]!)]
  return {
    title: 'Forms of JSON programs, 100,000 turns',
    note: 'Milliseconds of CPU. Forms over a list go 100 times through 1,000 items. The second line is a plain interpreter of the same programs with one `await` and one race against `setTimeout` per atom, without any limit.',
    columns: FORMS,
    rows: [line('mandate', measured.get('mandate forms')!), line('one race per atom', measured.get('baseline forms')!)],
  }
}

function speedGoals(speeds: ReadonlyMap<EngineName, Figures>): Goal[] {
  const own = speeds.get('mandate')!
  const peer = speeds.get('quickjs')
  if (peer === undefined) return []
  const times = (name: string): number => peer[name]! / own[name]!
  const goal = (name: string, measured: number, atLeast: number): Goal => ({
    name: `quickjs-emscripten takes longer, times: ${name}`,
    measured,
    atLeast,
  })
  return [
    goal('geometric mean of computing', geometricMean(COMPUTING.map(times)), 2),
    ...COMPUTING.map((name) => goal(name, times(name), 1.2)),
    goal('async10k', times('async10k'), 15),
    goal('codemode', times('codemode'), 3),
    goal('create', times('create'), 10),
  ]
}

function otherGoals(measured: ReadonlyMap<string, Figures>): Goal[] {
  const figures = (key: string): Figures => measured.get(key)!
  const overhead = SPEED.map((name) => figures('mandate speed')[name]! / figures('unmetered')[name]!)
  const forms = FORMS.map((name) => figures('baseline forms')[name]! / figures('mandate forms')[name]!)
  return [
    {
      name: 'time with counting beside without, geometric mean',
      measured: geometricMean(overhead),
      atMost: 1.1,
    },
    { name: 'KB of heap per waiting script', measured: figures('mandate held')['heapKb']!, atMost: 60 },
    { name: 'KB of RSS per waiting script', measured: figures('mandate held')['rssKb']!, atMost: 60 },
    ...FORMS.map((name, index) => ({
      name: `one race per atom takes longer, times: ${name}`,
      measured: forms[index]!,
      atLeast: 20,
    })),
  ]
}
