import { EventBus } from '../src/core/index.ts'
import type { MandateEvent } from 'mandate'
import { memoryJournal, readAll } from 'mandate/journal'
import { median } from './harness.ts'
import type { Section } from './report.ts'
import { runAgent } from './workloads.ts'

interface Growth {
  readonly early: { readonly microseconds: number; readonly bytes: number }
  readonly late: { readonly microseconds: number; readonly bytes: number }
}

const TURNS = 1_040
const SPAN = 40

/** What one turn costs around turn 50 and around turn 1,000 of the same run, with a window of 50 messages. */
async function measureGrowth(): Promise<Growth> {
  // Turn 50 must not be the one that pays for compiling what turn 1,000 runs.
  await (await runAgent(TURNS / 4, { journal: memoryJournal() }, { maxMessages: 50 })).stop()
  const journal = memoryJournal()
  const starts: bigint[] = []
  const original = Object.getOwnPropertyDescriptor(EventBus.prototype, 'emit')!.value as (event: MandateEvent) => void
  // The clock is read where the turn says it begins, which costs both ends of the run the same.
  EventBus.prototype.emit = function emit(event): void {
    if (event.type === 'step-start') starts.push(process.hrtime.bigint())
    original.call(this, event)
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

/** Cost and bytes per turn do not grow with the length of a run. */
export async function growth(): Promise<Section> {
  const { early, late } = await measureGrowth()
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
    ],
    goals: [
      { name: 'time per turn, late beside early', measured: time, atMost: 1.1 },
      { name: 'bytes per turn, late beside early', measured: bytes, atMost: 1.1 },
    ],
  }
}
