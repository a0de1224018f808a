import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from './harness.ts'
import { installPeers } from './installing.ts'
import type { Goal, Section, Table } from './report.ts'
import type { Measurement, SideName } from './sides/measure.ts'

const ROUNDS = 5
const OWN: readonly SideName[] = ['ai', 'mandate', 'by-hand']
const FOREIGN: readonly SideName[] = ['openai-agents', 'langchain', 'mastra']

function measureOnce(side: SideName, mode: string): Measurement {
  const flags = ['--conditions=mandate-source', '--expose-gc', '--disable-warning=ExperimentalWarning']
  const file = join(import.meta.dirname, 'sides', 'measure.ts')
  const said = execFileSync(process.execPath, [...flags, file, side, mode], {
    encoding: 'utf8',
    timeout: 180_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return JSON.parse(said.trim().split('\n').at(-1)!) as Measurement
}

/** Measures one side. A peer that cannot run here is skipped visibly; the sides of this repository must run. */
function measureOrSkip(side: SideName, mode: string): Measurement | undefined {
  try {
    return measureOnce(side, mode)
  } catch (error) {
    if (OWN.includes(side)) throw error
    console.error(`bench: SKIPPED ${side} (${mode}): ${String((error as { stderr?: unknown }).stderr ?? error).trim()}`)
    return undefined
  }
}

/** Measures every side in a separate process, in reverse order in every second round; returns the median of each result. */
function measureAll(asked: readonly (readonly [SideName, string])[]): Map<string, Measurement> {
  const all = new Map<string, Measurement[]>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [side, mode] of round % 2 === 0 ? asked : asked.toReversed()) {
      const key = `${side} ${mode}`
      const measured = measureOrSkip(side, mode)
      if (measured !== undefined) all.set(key, [...(all.get(key) ?? []), measured])
    }
    console.error(`bench: peers, round ${round + 1} of ${ROUNDS}`)
  }
  return new Map([...all].map(([key, list]) => [key, middle(list)]))
}

function middle(list: readonly Measurement[]): Measurement {
  const figures = Object.keys(list[0]!).filter((name) => name !== 'label')
  return {
    label: list[0]!.label,
    ...Object.fromEntries(figures.map((name) => [name, median(list.map((one) => Number(one[name])))])),
  }
}

interface Shape {
  readonly title: string
  readonly note?: string
  readonly figures: Readonly<Record<string, string>>
  /** The figure whose ratio to `ai` 7 is shown. */
  readonly compared: string
}

function tableOf(measured: readonly Measurement[], base: Measurement, shape: Shape): Table {
  const { title, note, figures, compared } = shape
  return {
    title,
    note,
    columns: [...Object.values(figures), 'ratio to ai 7'],
    rows: measured.map((one) => [
      one.label,
      ...Object.keys(figures).map((name) => Number(one[name])),
      Number(one[compared]) / Number(base[compared]),
    ]),
  }
}

const STEPS: Shape = {
  title: 'One step of an agent loop, beside other libraries',
  note: 'A run is ten tool calls and a last word: eleven model calls. CPU counts all threads of the process, wall is what the caller waits. None of the others keeps a journal or asks a gate.',
  figures: { stepCpu: 'µs CPU per step', stepWall: 'µs wall per step' },
  compared: 'stepCpu',
}
const DELTAS: Shape = {
  title: 'One piece of streamed text',
  figures: { deltaCpu: 'µs CPU per piece', deltaWall: 'µs wall per piece' },
  compared: 'deltaCpu',
}
const HELD: Shape = {
  title: 'A run that waits in its fifth tool call, 1,000 of them',
  figures: { heapKb: 'KB of heap per run', rssKb: 'KB of RSS per run' },
  compared: 'heapKb',
}

const DURABLE: readonly SideName[] = ['mandate', 'langchain', 'mastra']

/** Compares the libraries that store every step, each with its own store on SQLite. The first row is ours and the baseline of the ratios. */
function durableTable(measured: ReadonlyMap<string, Measurement>): Table {
  const rows = DURABLE.flatMap((side) => measured.get(`${side} durable`) ?? [])
  return {
    title: 'A hundred runs at once, every step kept in SQLite',
    note: 'The same run of eleven model calls and ten tool calls; a step is kept before the next one begins. The checkpointer of LangGraph runs on `node:sqlite` instead of better-sqlite3, which would have to be compiled (WAL, synchronous=FULL as on our side).',
    columns: ['steps per second', 'µs CPU per step', 'steps per second beside mandate'],
    rows: rows.map((one) => [
      one.label,
      Number(one['perSecond']),
      Number(one['stepCpu']),
      Number(one['perSecond']) / Number(rows[0]!['perSecond']),
    ]),
  }
}

/** Compares the same task on every alternative library, each run in fresh processes, alternately. */
export async function besidePeers(): Promise<Section> {
  const names = installPeers() ? [...OWN, ...FOREIGN] : OWN
  const asked = names.flatMap((side) => ['loop', 'deltas', 'suspended'].map((mode) => [side, mode] as const))
  const kept = DURABLE.filter((side) => names.includes(side)).map((side) => [side, 'durable'] as const)
  const measured = measureAll([...asked, ...kept, ['mandate', 'parked']])
  const rows = (mode: string): Measurement[] => names.flatMap((side) => measured.get(`${side} ${mode}`) ?? [])
  const ai = (mode: string): Measurement => measured.get(`ai ${mode}`)!
  const ratio = (mode: string, figure: string): number =>
    Number(measured.get(`mandate ${mode}`)![figure]) / Number(ai(mode)[figure])
  // A suspended run waits for a person or a timer. A run with a slow tool is still active, and has a separate row.
  const putAway = Number(measured.get('mandate parked')!['heapKb']) / Number(ai('suspended')['heapKb'])
  const goals: Goal[] = [
    { name: 'CPU per step beside ai 7', measured: ratio('loop', 'stepCpu'), atMost: 1.1 },
    { name: 'CPU per piece of text beside ai 7', measured: ratio('deltas', 'deltaCpu'), atMost: 0.15 },
    { name: 'heap per suspended run beside one of ai 7 that waits', measured: putAway, atMost: 0.4 },
  ]
  const held = [...rows('suspended'), measured.get('mandate parked')!]
  return {
    tables: [
      tableOf(rows('loop'), ai('loop'), STEPS),
      tableOf(rows('deltas'), ai('deltas'), DELTAS),
      tableOf(held, ai('suspended'), HELD),
      durableTable(measured),
    ],
    goals,
  }
}
