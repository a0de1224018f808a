// One process under load, for `load.ts`: 500 concurrent runs on SQLite, or one run whose tool returns 10 MB. Prints its results as JSON.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import { sqliteJournal } from 'mandate/sqlite'
import { gateFor } from '../src/run/kernel/gates.ts'
import { kernelOf } from '../src/run/index.ts'
import { tinyModel, tinyTool } from './workloads.ts'

const RUNS = 500
const TURNS = 6

/** Delay of timers in ms, and CPU time of this thread in one turn of the event loop. */
export interface Stalls {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly cpuP99: number
  readonly cpuMax: number
}

export interface ManyRuns extends Stalls {
  readonly runsPerSecond: number
  readonly effectsPerSecond: number
  /** CPU time of this thread from the request of an effect to the decision of the gate, in ms. */
  readonly gateP50: number
  readonly gateP99: number
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
}

/**
 * Measures the delay of timers during work, and the CPU time of this thread per turn of the event loop. The latter is independent of other load on the
 * machine.
 */
async function watched(work: () => Promise<void>): Promise<Stalls> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const turns: number[] = []
  const over = { isOver: false }
  const watch = async (): Promise<void> => {
    for (let last = cpuMs(); !over.isOver;) {
      await turn()
      const now = cpuMs()
      turns.push(now - last)
      last = now
    }
  }
  await turn()
  delay.enable()
  const watching = watch()
  await work()
  over.isOver = true
  await watching
  delay.disable()
  const ms = (nanoseconds: number): number => nanoseconds / 1e6
  return {
    p50: ms(delay.percentile(50)),
    p99: ms(delay.percentile(99)),
    max: ms(delay.max),
    cpuP99: percentile(turns, 0.99),
    cpuMax: percentile(turns, 1),
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

async function manyRuns(path: string): Promise<ManyRuns> {
  const journal = sqliteJournal({ path })
  const agent = { id: 'bench', model: tinyModel(TURNS), tools: [tinyTool()], maxTurns: TURNS + 1, mandate: {} }
  const service = new AgentService({ journal, agents: [agent] })
  const { mandate } = kernelOf(service).registry.mind('agent', 'bench')!
  const gate = gateFor(mandate === undefined ? [] : [mandate]) as { decide: (request: never) => Promise<unknown> }
  const decide = gate.decide
  const times: number[] = []
  gate.decide = async (request) => {
    const from = cpuMs()
    try {
      return await decide(request)
    } finally {
      times.push(cpuMs() - from)
    }
  }
  const go = async (count: number): Promise<void> => {
    const runs = []
    for (let started = 0; started < count; started++) {
      runs.push(service.run('bench', 'Go.'))
      // Runs are started by separate requests, which arrive one by one.
      await turn()
    }
    for (const { status } of await Promise.all(runs)) if (status !== 'completed') throw new Error(status)
  }
  await go(100)
  times.length = 0
  const from = performance.now()
  const stalls = await watched(() => go(RUNS))
  const seconds = (performance.now() - from) / 1_000
  await service.stop()
  await journal.close()
  if (times.length !== RUNS * (2 * TURNS + 1)) throw new Error(`${times.length} decisions were seen.`)
  return {
    ...stalls,
    runsPerSecond: RUNS / seconds,
    effectsPerSecond: times.length / seconds,
    gateP50: percentile(times, 0.5),
    gateP99: percentile(times, 0.99),
  }
}

/** Rows of a table, 10 MB as JSON. */
function largeResult(): unknown {
  const rows = Array.from({ length: 40_000 }, (_, id) => ({
    id,
    name: `Customer number ${id}`,
    mail: `customer-${id}@example.org`,
    note: 'Paid on time. '.repeat(10),
    open: [id % 7, id % 11],
  }))
  return { rows }
}

async function largeTool(path: string): Promise<Stalls> {
  const journal = sqliteJournal({ path })
  const value = largeResult()
  const large = defineTool({ name: 'export', risk: 'read', maxResultBytes: 50e6, run: () => value })
  const calling = scripted((_request, { position }) =>
    position === 0 ? { text: 'Export.', toolCalls: [{ name: 'export', input: {} }] } : 'Done.',
  )
  const service = new AgentService({ journal, agents: [{ id: 'bench', model: calling, tools: [large] }] })
  const stalls = await watched(async () => {
    const result = await service.run('bench', 'Go.')
    if (result.status !== 'completed') throw new Error(result.error?.message)
  })
  await service.stop()
  await journal.close()
  return stalls
}

const dir = mkdtempSync(join(tmpdir(), 'mandate-load-'))
try {
  const path = join(dir, 'journal.db')
  console.log(JSON.stringify(process.argv[2] === 'large' ? await largeTool(path) : await manyRuns(path)))
} finally {
  rmSync(dir, { recursive: true, force: true })
}
