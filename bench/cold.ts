import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackage } from '../scripts/build-package.ts'
import { median } from './harness.ts'
import { installPeers } from './installing.ts'
import type { Goal, Section, Table } from './report.ts'
import { coldPrograms } from './sides/vm/cold-programs.ts'
import type { Figures } from './sides/vm/measure.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7)
/** The number of runs of the code-mode task in one process after which the next one is measured too. */
const AGAIN = 30
const root = join(import.meta.dirname, '..')
const sides = join(import.meta.dirname, 'sides', 'vm')
/** The folder with the built package, and the sides that import it by name. */
const built = join(root, '.cache', 'bench-cold')

const computing = Object.keys(coldPrograms.computing)
const builtins = Object.keys(coldPrograms.builtins)
const scripts = ['codemode', ...computing, ...builtins]

interface Side {
  readonly label: string
  readonly file: string
  readonly flags?: readonly string[]
  readonly isPeer?: boolean
  /** Whether Node's compile cache is used (`module.enableCompileCache()`), filled beforehand. */
  readonly isCached?: boolean
}

const mandate: Side = { label: 'mandate', file: join(built, 'mandate.ts') }
const cached: Side = { label: "mandate, with Node's compile cache", file: mandate.file, isCached: true }
const sources: Side = {
  label: "mandate, from its sources, with Node's compile cache",
  file: join(sides, 'mandate.ts'),
  flags: ['--conditions=mandate-source'],
  isCached: true,
}
const governed: Side = {
  label: 'mandate, every call through the gate and in the journal',
  file: join(built, 'governed.ts'),
}
const peer = (label: string, file: string): Side => ({ label, file: join(sides, file), isPeer: true })
const quickjs = peer('quickjs-emscripten 0.32 (release, sync)', 'quickjs.ts')
const others = [peer('run 2.1', 'npm-run.ts'), peer('@ai-sdk/code-mode 1.0', 'ai-code-mode.ts')]

/** Runs one script in a fresh process. */
function once(
  { label, file, flags = [], isPeer = false, isCached = false }: Side,
  program: string,
): Figures | undefined {
  const node = ['--disable-warning=ExperimentalWarning', ...flags]
  const times = program === 'codemode' ? String(AGAIN) : '0'
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  if (isCached) Object.assign(env, { NODE_COMPILE_CACHE: join(root, '.cache', 'compile') })
  try {
    const said = execFileSync(process.execPath, [...node, join(sides, 'cold.ts'), file, program, times], {
      encoding: 'utf8',
      env,
      timeout: 60_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return JSON.parse(said.trim().split('\n').at(-1)!) as Figures
  } catch (error) {
    if (!isPeer) throw error
    console.error(`bench: SKIPPED ${label}: ${String((error as { stderr?: unknown }).stderr ?? error).trim()}`)
    return undefined
  }
}

/** Measures all sides alternately, in reverse order in every second round; returns the median of each result, by side and program. */
function measureAll(jobs: readonly (readonly [Side, string])[]): (side: Side, program: string) => Figures | undefined {
  const all = new Map<string, Figures[]>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [side, program] of round % 2 === 0 ? jobs : jobs.toReversed()) {
      const figures = once(side, program)
      const key = `${side.label} ${program}`
      if (figures !== undefined) all.set(key, [...(all.get(key) ?? []), figures])
    }
    console.error(`bench: cold, round ${round + 1} of ${ROUNDS}`)
  }
  return (side, program) => {
    const list = all.get(`${side.label} ${program}`)
    if (list === undefined) return undefined
    return Object.fromEntries(Object.keys(list[0]!).map((name) => [name, median(list.map((one) => one[name]!))]))
  }
}

type Find = (side: Side, program: string) => Figures | undefined

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}

function scriptsTable(find: Find, there: readonly Side[]): Table {
  const line = (side: Side): Table['rows'][number] => [
    side.label,
    ...scripts.map((name) => find(side, name)!['script thread']!),
  ]
  const ratios = (label: string, kind: string): Table['rows'][number] => [
    label,
    ...scripts.map((name) => find(mandate, name)![`${kind} thread`]! / find(quickjs, name)![`${kind} thread`]!),
  ]
  return {
    title: 'One script, once, in a fresh process',
    note: 'Milliseconds of CPU of the thread that runs it, from making a sandbox to the result; loading the engine is not in it (next table). Nothing has run before: neither engine is warm. The code-mode task calls about 800 of our functions, 230 KB of source, each of which V8 compiles at its first call; no single function stands out in a profile.',
    columns: scripts,
    rows: [
      ...there.map(line),
      ...(there.includes(quickjs)
        ? [ratios('mandate / quickjs', 'script'), ratios('mandate / quickjs, sandbox made before', 'run')]
        : []),
    ],
  }
}

const KINDS = ['load', 'script', 'total'] as const

function codeModeTable(find: Find, there: readonly Side[]): Table {
  return {
    title: 'The code-mode task, once, in a fresh process',
    note: 'Milliseconds from importing the engine to having it (load), and from making a sandbox to the result (script): CPU of the thread, CPU of all threads of the process, wall. Starting the process is in none of them. The last column is one more run, in a fresh sandbox, after 30 in the same process.',
    columns: ['load', 'script', 'total', 'total, all threads', 'total, wall', 'again, wall'],
    rows: there.map((side) => {
      const figures = find(side, 'codemode')!
      const thread = KINDS.map((kind) => figures[`${kind} thread`]!)
      return [side.label, ...thread, figures['total cpu']!, figures['total wall']!, figures['again wall']!]
    }),
  }
}

function goals(find: Find): Goal[] {
  const ratio = (name: string, figure: string): number => find(quickjs, name)![figure]! / find(mandate, name)![figure]!
  const times = (name: string, measured: number, atLeast: number): Goal => ({
    name: `cold: quickjs-emscripten takes longer, times: ${name}`,
    measured,
    atLeast,
  })
  return [
    times('codemode, script', ratio('codemode', 'script thread'), 1),
    times('codemode, with loading', ratio('codemode', 'total thread'), 1),
    times('geometric mean of computing', geometricMean(computing.map((name) => ratio(name, 'script thread'))), 0.9),
    ...builtins.map((name) => times(name, ratio(name, 'script thread'), 1 / 1.5)),
  ]
}

function governedGoals(find: Find): Goal[] {
  const own = find(governed, 'codemode')!
  return others.flatMap((side) => {
    const figures = find(side, 'codemode')
    if (figures === undefined) return []
    return (['total cpu', 'total wall', 'again wall'] as const).map((name) => ({
      name: `${side.label} ungoverned takes longer than ours governed, times: ${name}`,
      measured: figures[name]! / own[name]!,
      atLeast: 1,
    }))
  })
}

/** Measures scripts as code mode runs them: in a process that has run none before. */
export async function cold(): Promise<Section> {
  await buildPackage(built, { dts: false })
  for (const name of ['mandate.ts', 'governed.ts']) copyFileSync(join(sides, name), join(built, name))
  const peers = installPeers() ? [quickjs, ...others] : []
  for (const side of [cached, sources]) once(side, 'codemode')
  const beside = peers.length === 0 ? [mandate] : [mandate, quickjs]
  const jobs = scripts.flatMap((name) => beside.map((side) => [side, name] as const))
  for (const side of [cached, sources, governed, ...peers.slice(1)]) jobs.push([side, 'codemode'])
  const find = measureAll(jobs)
  const isThere = (side: Side): boolean => find(side, 'codemode') !== undefined
  return {
    tables: [
      scriptsTable(find, beside),
      codeModeTable(find, [mandate, cached, sources, quickjs, governed, ...others].filter(isThere)),
    ],
    goals: isThere(quickjs) ? [...goals(find), ...governedGoals(find)] : [],
  }
}
