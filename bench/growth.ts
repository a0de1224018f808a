import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'mandate'
import { EventBus } from '../src/core/index.ts'
import { memoryJournal, readAll } from 'mandate/journal'
import { median } from './harness.ts'
import { stepInStores } from './large-store.ts'
import type { Section } from './report.ts'
import { openStore } from 'mandate/sqlite'
import { runAgent, tinyModel, tinyTool } from './workloads.ts'

interface Growth {
  readonly early: { readonly microseconds: number; readonly bytes: number }
  readonly late: { readonly microseconds: number; readonly bytes: number }
}

const TURNS = 1_040
const SPAN = 40

/** Measures the cost of a turn around turn 50 and around turn 1,000 of the same run, with a window of 50 messages. */
async function measureGrowth(): Promise<Growth> {
  // A warm-up, so that turn 50 does not include the compilation of code that turn 1,000 uses.
  await (await runAgent(TURNS / 4, { journal: memoryJournal() }, { maxMessages: 50 })).stop()
  const journal = memoryJournal()
  const starts: bigint[] = []
  const original = Object.getOwnPropertyDescriptor(EventBus.prototype, 'emit')!.value as EventBus['emit']
  // The clock is read at the start event of a turn, which costs the same at both ends of the run.
  EventBus.prototype.emit = function emit(event): void {
    if (event.type === 'step-start') starts.push(process.hrtime.bigint())
    original.call(this, event as never)
  }
  try {
    const agent = await runAgent(TURNS, { journal }, { maxMessages: 50, facts: { idempotent: true } })
    const [run] = await journal.list()
    const bytes = new Map<number, number>()
    for (const entry of await readAll(journal, run!.run)) {
      const turn = Number(/^turn:(\d+)\//.exec(entry.key ?? '')?.[1] ?? 0)
      bytes.set(turn, (bytes.get(turn) ?? 0) + JSON.stringify(entry).length)
    }
    await agent.stop()
    const around = (turn: number): Growth['early'] => {
      const turns = Array.from({ length: SPAN }, (_, index) => turn + index)
      return {
        microseconds: median(turns.map((at) => Number(starts[at]! - starts[at - 1]!) / 1000)),
        bytes: median(turns.map((at) => bytes.get(at) ?? 0)),
      }
    }
    return { early: around(50), late: around(1_000) }
  } finally {
    EventBus.prototype.emit = original
  }
}

const ROUNDS = 5

/**
 * Measures the resume of a run that waits for an approval after so many turns, on SQLite: a new service reads and folds the journal, re-executes the agent,
 * and suspends again because the approval is still missing.
 */
async function measureResume(turns: number): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-resume-'))
  const config = {
    id: 'bench',
    model: tinyModel(turns + 1),
    tools: [
      { ...tinyTool({ idempotent: true }), needsApproval: (input: unknown) => (input as { n: number }).n === turns },
    ],
    maxTurns: turns + 2,
    history: { maxMessages: 50 },
    mandate: { callCap: turns + 1 },
  }
  try {
    const first = new Agent(config, { store: await openStore({ dir }) })
    const { id, status } = await first.service.run('bench', 'Go.')
    if (status !== 'await_user') throw new Error(`The run is ${status}.`)
    await first.stop()
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const agent = new Agent(config, { store: await openStore({ dir }) })
      const start = process.hrtime.bigint()
      await agent.service.resume(id)
      times.push(Number(process.hrtime.bigint() - start) / 1e6)
      await agent.stop()
    }
    return median(times)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** Checks that cost and bytes per turn do not grow with the length of a run, and that the time of a resume is proportional to it. */
export async function growth(): Promise<Section> {
  const { early, late } = await measureGrowth()
  const [short, long] = [await measureResume(100), await measureResume(1_000)]
  const stores = await stepInStores()
  const time = late.microseconds / early.microseconds
  const bytes = late.bytes / early.bytes
  return {
    tables: [
      {
        title: 'One turn, early and late in one run (window of 50 messages)',
        columns: ['µs per turn', 'journaled bytes per turn'],
        rows: [
          ['around turn 50', early.microseconds, early.bytes],
          ['around turn 1,000', late.microseconds, late.bytes],
          ['ratio', time, bytes],
        ],
      },
      {
        title: 'Bringing back a run that waits for an approval (SQLite)',
        note: 'By a service that has never seen the run: reading, verifying and folding its journal, and running the agent over it.',
        columns: ['ms', 'ms per 100 turns'],
        rows: [
          ['after 100 turns', short, short],
          ['after 1,000 turns', long, long / 10],
        ],
      },
      {
        title: 'One step of a run alone, in a store that is used for long (SQLite)',
        note: 'A step is a model call and a tool call; all threads of the process, both stores in turns, medians.',
        columns: ['CPU ms per step'],
        rows: [
          ['in an empty store', stores.empty],
          ['in a store of a million entries', stores.large],
        ],
      },
    ],
    goals: [
      { name: 'time per turn, late beside early', measured: time, atMost: 1.1 },
      { name: 'bytes per turn, late beside early', measured: bytes, atMost: 1.1 },
      { name: 'CPU per step, large store beside empty', measured: stores.large / stores.empty, atMost: 1.2 },
    ],
  }
}
