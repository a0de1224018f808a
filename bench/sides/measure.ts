// One result of one side, in a separate process: `node --expose-gc bench/sides/measure.ts <side> <loop | suspended | parked | deltas | durable>`. Prints one
// line of JSON.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Add, PeerSide } from './side.ts'
import { TURNS } from './side.ts'
import { settledMemory } from './memory.ts'

/** Model calls of one run. */
const STEPS = TURNS + 1
const SUSPENDED = 1_000
const DELTAS = 10_000
const BATCHES = 5
const BATCH_MS = 250

export interface Measurement {
  readonly label: string
  readonly [figure: string]: number | string
}

/** The sides in the order of display. */
export type SideName = 'by-hand' | 'mandate' | 'ai' | 'openai-agents' | 'langchain' | 'mastra'

const sides: Readonly<Record<SideName, () => Promise<{ readonly side: PeerSide }>>> = {
  'by-hand': () => import('./by-hand.ts'),
  mandate: () => import('./mandate.ts'),
  ai: () => import('./ai.ts'),
  'openai-agents': () => import('./openai-agents.ts'),
  langchain: () => import('./langchain.ts'),
  mastra: () => import('./mastra.ts'),
}

interface Spent {
  readonly cpu: number
  readonly wall: number
}

/** In microseconds. */
async function spent(work: () => Promise<unknown>): Promise<Spent> {
  const cpu = process.cpuUsage()
  const start = process.hrtime.bigint()
  await work()
  const wall = Number(process.hrtime.bigint() - start) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  return { cpu: user + system, wall }
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

async function repeatedly(per: number, work: () => Promise<unknown>): Promise<Spent> {
  const all: Spent[] = []
  for (let batch = 0; batch < BATCHES; batch++) all.push(await spent(work))
  return { cpu: middle(all.map(({ cpu }) => cpu)) / per, wall: middle(all.map(({ wall }) => wall)) / per }
}

async function loop({ make }: PeerSide): Promise<object> {
  const run = make(async ({ a, b }) => ({ sum: a + b }))
  const runs = (count: number) => async (): Promise<void> => {
    for (let done = 0; done < count; done++)
      if ((await run()) !== `done ${TURNS}`) throw new Error('This side gives a wrong answer.')
  }
  await runs(30)()
  const { wall } = await spent(runs(20))
  const count = Math.max(20, Math.round((BATCH_MS * 1_000 * 20) / wall))
  const { cpu, wall: perStep } = await repeatedly(count * STEPS, runs(count))
  return { stepCpu: cpu, stepWall: perStep }
}

async function heapAfter(work: () => Promise<unknown>): Promise<object> {
  const before = settledMemory()
  await work()
  const after = settledMemory()
  return {
    heapKb: (after.heapUsed - before.heapUsed) / 1_024 / SUSPENDED,
    rssKb: (after.rss - before.rss) / 1_024 / SUSPENDED,
  }
}

/** Measures the memory of each of a thousand runs whose fifth tool call does not return. */
async function suspended({ make }: PeerSide): Promise<object> {
  const open: (() => void)[] = []
  const add: Add = ({ a, b }) =>
    a === TURNS / 2
      ? new Promise((resolve) => open.push(() => resolve({ sum: a + b })))
      : Promise.resolve({ sum: a + b })
  const run = make(add)
  const start = async (count: number): Promise<Promise<string>[]> => {
    const runs = Array.from({ length: count }, run)
    while (open.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
    return runs
  }
  const finish = async (runs: readonly Promise<string>[]): Promise<void> => {
    for (const one of open.splice(0)) one()
    if ((await Promise.all(runs)).some((text) => text !== `done ${TURNS}`)) throw new Error('A wrong answer.')
  }
  await finish(await start(5))
  let runs: Promise<string>[] = []
  const held = await heapAfter(async () => {
    runs = await start(SUSPENDED)
  })
  await finish(runs)
  return held
}

async function parked(): Promise<object> {
  const { park } = await import('./mandate.ts')
  const kept = [await park(5)]
  const held = await heapAfter(async () => kept.push(await park(SUSPENDED)))
  if (kept.length !== 2) throw new Error('They must not be collected before they are counted.')
  return { label: 'mandate, waiting for an approval (put away: its journal is what is left)', ...held }
}

async function deltas({ stream }: PeerSide): Promise<object> {
  const whole = async (): Promise<void> => {
    const count = await stream(DELTAS)
    if (count < DELTAS * 0.9) throw new Error(`Only ${count} of ${DELTAS} pieces arrived.`)
  }
  await stream(500)
  await whole()
  const { cpu, wall } = await repeatedly(DELTAS, whole)
  return { deltaCpu: cpu, deltaWall: wall }
}

const CONCURRENT = 100

/** Measures a hundred concurrent runs, with every step on disk. */
async function durable({ durable: open }: PeerSide): Promise<object> {
  if (open === undefined) throw new Error('This side keeps nothing on a disk.')
  const folder = mkdtempSync(join(tmpdir(), 'mandate-bench-'))
  try {
    const { label, run } = await open(folder)
    const all = async (count: number): Promise<void> => {
      const texts = await Promise.all(Array.from({ length: count }, run))
      if (texts.some((text) => text !== `done ${TURNS}`)) throw new Error(`A wrong answer: ${texts.join(' ')}`)
    }
    await all(10)
    const { cpu, wall } = await repeatedly(CONCURRENT * STEPS, () => all(CONCURRENT))
    return { label, perSecond: 1_000_000 / wall, stepCpu: cpu }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [name, mode] = process.argv.slice(2) as [SideName, string]
  const { side } = await sides[name]()
  // Silences libraries that log to the output of the result.
  for (const level of ['log', 'info', 'warn', 'debug'] as const) console[level] = () => {}
  const modes = { loop, suspended, parked, deltas, durable } as const
  const measured = await modes[mode as keyof typeof modes](side)
  process.stdout.write(`${JSON.stringify({ label: side.label, ...measured })}\n`, () => process.exit(0))
}
